//! The properties that the service adds to every item, and their order.
//!
//! Owns `_rid _self _etag _attachments _ts`: names, values, order, and how many bytes they add. Does not compute the
//! values: the transaction does.

use model::{Json, Object, ResourceId};

use super::item_record::ItemHeader;

/// Names of the system properties in the order they are appended.
pub(crate) const SYSTEM_PROPERTIES: [&str; 5] = ["_rid", "_self", "_etag", "_attachments", "_ts"];

/// Where the system properties go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// The client sent a whole item: system properties it contains are dropped, ours are appended.
    AtEnd,
    /// A patch keeps the item: system properties stay where they are, but the timestamp is always last.
    InPlace,
}

/// Sets the system properties of an item.
pub(crate) fn set_system_properties(
    object: &mut Object,
    placement: Placement,
    self_link: &str,
    rid: &ResourceId,
    header: &ItemHeader,
) {
    match placement {
        Placement::AtEnd => {
            for name in SYSTEM_PROPERTIES {
                object.remove(name);
            }
        }
        Placement::InPlace => {
            // Removed and appended again, so that the timestamp is the last property as in the service.
            object.remove("_ts");
        }
    }
    // Seconds fit into i64 for 292 thousand million years.
    let timestamp = i64::try_from(header.timestamp.0).unwrap_or(i64::MAX);
    object.insert("_rid", rid.to_string());
    object.insert("_self", self_link);
    object.insert("_etag", header.etag.to_string());
    object.insert("_attachments", "attachments/");
    object.insert("_ts", Json::from(timestamp));
}

/// Bytes that the system properties add to the text of an item: names and values of fixed length, each with a comma in
/// front. Timestamps have ten digits until the year 2286.
pub(crate) const SYSTEM_BYTES: usize = concat!(
    r#","_rid":"012345678901234567890123""#,
    r#","_self":"dbs/01234567/colls/012345678901/docs/012345678901234567890123/""#,
    r#","_etag":"\"00000000-0000-0000-0000-000000000000\"""#,
    r#","_attachments":"attachments/""#,
    r#","_ts":1234567890"#
)
.len();

/// The length of an item's text without its system properties. Request charges count it; nothing is parsed to know it.
pub(crate) fn own_bytes(text_bytes: usize) -> usize {
    // Saturating: a store of another version may hold a shorter text, and a charge must not fail.
    text_bytes.saturating_sub(SYSTEM_BYTES)
}

/// The same for the total length of several texts.
pub(crate) fn own_bytes_of_many(text_bytes: u64, items: u64) -> u64 {
    text_bytes.saturating_sub(items.saturating_mul(SYSTEM_BYTES as u64))
}
