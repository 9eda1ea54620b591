//! Group commit: one thread that writes, and the queue that leads to it.
//!
//! Owns the path of a group of write sets from its caller to the tree and back. Does not own reads.

mod backpressure;
mod batch;
mod committer;
mod delay;
#[cfg(test)]
mod interleavings;
mod queue;
mod resume;

pub(crate) use committer::{Committer, OpenTree};
pub(crate) use queue::{CommitJob, CommitQueue, ResultSender};
