//! Throughput that is enforced: who may spend now, what was spent, what the least is.
//!
//! Owns the buckets of physical partitions and of databases that share throughput, the gate in front of a container,
//! and the least throughput. Does not own what an operation costs (`charge`) nor what was spent so far (`usage`).

mod bucket;
mod enforcement;
mod gate;
mod minimum;
mod shared;

pub(crate) use bucket::Bucket;
pub(crate) use gate::Gate;
pub(crate) use minimum::{Holding, check_minimum, least};
pub(crate) use shared::SharedThroughputs;
