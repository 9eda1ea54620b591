//! Admission control: whether a request may spend request units now, and what is left after it.
//!
//! Owns the token buckets of physical partitions and of databases that share throughput, the gate in front of a
//! container, the admission of a request, and the minimum throughput. Does not own what an operation costs (`charge`)
//! or what was spent so far (`metering`).

mod admission;
mod bucket;
mod gate;
mod minimum;
mod shared;

pub(crate) use admission::{Admission, ContainerThroughput, MultiAdmission, PartitionThroughput};
pub(crate) use minimum::{Holding, check_minimum, least};
pub(crate) use shared::SharedThroughputs;
