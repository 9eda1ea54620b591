//! The transaction that writes items: everything an item write touches, collected in one write set.
//!
//! Owns the derivation of entries from items: records, index terms, unique keys, change log, versions, expiry and
//! counters, and the list of all entries that a stored item must have. Does not own the verbs (`item`), which call it,
//! or the commit (`partition`).

mod entries;
mod header;
mod history;
mod item_transaction;
mod listing;
mod preparation;
mod rehearsal;
mod unique_keys;
mod written_item;

pub(crate) use entries::{ItemEntries, entries_of};
pub(crate) use header::ReservedVersion;
pub(crate) use item_transaction::{ItemChange, ItemTransaction};
pub(crate) use preparation::{
    BaseVersion, KnownVersion, PolicyOfKey, Preparations, PreparedOperation, PreparedPut,
    PreparedReindex, PreparedRemoval, PutBasis,
};
pub(crate) use rehearsal::RehearsedItems;
pub(crate) use written_item::WrittenItem;
