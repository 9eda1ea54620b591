//! Items as serde types: the calls on them, and what keeps properties a type does not know.

mod batch;
mod merge;
mod modify;
mod read;
mod typed;
mod write;

pub use batch::{Batch, BatchAnswer};
pub use read::ReadOptions;
pub use typed::Item;
