//! Plans: what a query needs before its first row.
//!
//! Owns pure questions about a bound query: which partition keys it can meet (`partitions`), how an index could serve
//! it (`access`), which indexes it used or misses (`metrics`), which costly forms it has
//! (`advice`), how it is split over physical partitions and put
//! together again (`distribute`). Does not own evaluation, storage or pages: plans say what could be done, the engine
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
