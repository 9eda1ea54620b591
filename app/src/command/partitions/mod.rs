//! `planisphere partitions`: lists, splits and merges the physical partitions of a container.

mod change;
mod print;
mod run;
#[cfg(feature = "connect")]
mod send;

pub(crate) use run::{PartitionsCommand, container_link};
