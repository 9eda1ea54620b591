//! What one request may consume: work, memory and its turn on a thread.
//!
//! Owns the counters that every loop of evaluation spends from, the size of a value, and the border to whoever grants
//! more ([`WorkGovernor`]). Knows no clock and no thread: a governor does. Does not own what costs how much: each stage
//! and each function counts its own work.

mod error;
mod evaluation_budget;
mod governor;
mod memory;
mod work;

pub use evaluation_budget::EvaluationBudget;
pub use governor::{EachWorkLimit, Interruption, WorkGovernor, WorkLimit};
pub use work::SLICE_UNITS;

pub use error::BudgetError;
pub(crate) use memory::{MemoryBudget, TEXT_HEADER_BYTES, value_bytes};
pub(crate) use work::{WorkBudget, byte_units, text_units, value_units};
