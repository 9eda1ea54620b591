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
mod triggered;
mod upsert;
mod write;

pub(crate) use input::{NewItem, check, check_partition_key, item_key, logical_partition};
pub(crate) use large::{
    PreparableTransaction, PreparationBasis, PreparationTurns, WritePreparation, prepare_removals,
    rehearse,
};
pub(crate) use replace::renamed_from;
pub(crate) use submit::{locate, point_response, unexpected_result};
pub(crate) use triggered::TriggeredWrite;
pub(crate) use write::{ItemWrite, ItemWriteResult};
