//! The stored form of items: byte layout of item records, change log entries and versions.
//!
//! Owns the values of the spaces `items`, `change_log` and `versions`, and the system properties inside an item's text.
//! Does not own keys (`key_layout`) or which records are written (`transaction`).

mod item_record;
mod logged_item;
mod system_properties;
mod versioned_text;

pub(crate) use item_record::{
    ItemHeader, ItemRecord, LogEntry, Removal, Version, earlier_position, resolve_position,
};
pub(crate) use logged_item::LoggedItem;
pub(crate) use system_properties::{
    Placement, SYSTEM_BYTES, SYSTEM_PROPERTIES, own_bytes, own_bytes_of_many, set_system_properties,
};
pub(crate) use versioned_text::VersionedText;
