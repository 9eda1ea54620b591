//! Items: one file per verb, and what they share.
//!
//! Owns the verbs, the stored form of an item and the transaction they write into. Does not own the partition's turn
//! (`partition/writer`), index terms (`index`) or storage keys (`key_layout`).

mod create;
mod delete;
mod delete_by_partition_key;
mod input;
mod list;
mod patch;
mod read;
mod read_many;
mod replace;
mod stored;
mod submit;
mod transactional_batch;
mod upsert;

pub(crate) use create::create;
pub(crate) use delete::delete;
pub(crate) use delete_by_partition_key::delete_partition;
pub(crate) use input::NewItem;
pub(crate) use patch::patch;
pub(crate) use read::read_in_batch;
pub(crate) use replace::replace;
pub(crate) use stored::{
    Entries, Halt, ItemHeader, ItemRecord, LogEntry, LoggedItem, Prepared, Removal, Turn,
    TurnContext, Unseen, Version, Written, effects_of, resolve,
};
pub(crate) use submit::item_of;
pub(crate) use upsert::upsert;
