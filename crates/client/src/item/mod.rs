//! Items as serde types, and the merge that keeps properties that a type does not know.
//!
//! Owns items and batches as values. Does not own the calls: see `resource`.

mod batch;
mod merge;
mod typed;

pub(crate) use batch::BatchItemOperation;
pub use batch::{BatchItemResult, ItemBatch};
pub use typed::Item;
pub(crate) use typed::{item_id, to_json};
