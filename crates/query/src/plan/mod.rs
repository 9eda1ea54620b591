//! Plans: questions about a bound query that are answered before it runs.
//!
//! Owns which partition keys a query can match (`partitions`), how an index could serve it (`access`), which indexes it
//! used or misses (`metrics`), which costly forms it has (`advice`), and how it is split over physical partitions and
//! merged again (`distribute`). Does not own evaluation, storage or pages: plans say what could be done, the engine
//! does it.

pub mod condition;

mod advice;
mod partitions;

pub mod access;

pub mod metrics;

pub mod distribute;

mod needed_paths;

pub use crate::evaluate::{conjuncts, simplify};
pub use advice::advice;
pub use needed_paths::needed_paths;
pub use partitions::{
    PartitionFilter, QueryRange, partition_filter, partition_filter_with_condition,
};
