//! Writing: the one thread that does it, and how commits get there.
//!
//! Owns the way of a group of writes from its caller to the tree and back. Does not own what is read.

mod backpressure;
mod committer;
mod gather;
mod merge;
mod queue;

pub(crate) use committer::Committer;
pub(crate) use queue::{Job, Queue, Reply};
