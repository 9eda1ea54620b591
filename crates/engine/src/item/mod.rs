//! Items: one file per verb, and what they share.
//!
//! Owns the verbs: what they check before they reach a partition, and what they do inside a transaction. Does not own
//! the commit (`partition`), what a write touches (`transaction`), index terms (`index`) or storage keys
//! (`key_layout`).

mod create;
mod delete;
mod delete_by_partition_key;
mod input;
mod large;
mod list;
mod patch;
mod patch_condition;
mod read;
mod read_many;
mod replace;
mod submit;
mod transactional_batch;
mod upsert;
mod write;

pub(crate) use input::item_key;
pub(crate) use large::{
    PreparableTransaction, PreparationBasis, PreparationTurns, WritePreparation, prepare_removals,
};
pub(crate) use submit::locate;
pub(crate) use write::ItemWrite;
