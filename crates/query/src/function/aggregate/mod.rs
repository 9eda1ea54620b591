//! Aggregates: functions over the rows of a group.
//!
//! Owns their state: created, updated with one value per row, finished. Does not own
//! grouping.

mod declare;

mod extreme;
mod state;
mod total;

pub use state::{Aggregate, AggregateState};

pub(super) use declare::FUNCTIONS as DECLARE;
