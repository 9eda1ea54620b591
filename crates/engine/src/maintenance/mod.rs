//! Background work: expiry, trimming of versions, index rebuilds, reclaiming of retired shards.
//!
//! Owns one round over all partitions and the transactions it submits. Each step is bounded, so that requests keep
//! their share of the writer. Does not own the loop that repeats rounds: `Engine` starts it.

mod expiry;
mod listing;
mod rebuild;
mod reclaim;
mod round;
mod step;
mod trim;

pub use round::MaintenanceReport;
