//! The properties the service adds to every item, and where they stand.
//!
//! Owns `_rid _self _etag _attachments _ts`: names, values, order. Does not own how they are computed; the turn does.

use model::{Json, Object, ResourceId};

use super::record::ItemHeader;

/// Names of the system properties in the order they are appended.
pub(crate) const SYSTEM_PROPERTIES: [&str; 5] = ["_rid", "_self", "_etag", "_attachments", "_ts"];

/// Where system properties go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// The client sent a whole item: what it says about system properties is dropped, ours follow at the end.
    AtEnd,
    /// A patch kept the item: system properties stay in place, but the timestamp is always last.
    InPlace,
}

/// Sets the system properties of an item.
pub(crate) fn place(
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
            object.remove("_ts");
        }
    }
    let timestamp = i64::try_from(header.timestamp.0).unwrap_or(i64::MAX);
    object.insert("_rid", rid.to_string());
    object.insert("_self", self_link);
    object.insert("_etag", header.etag.to_string());
    object.insert("_attachments", "attachments/");
    object.insert("_ts", Json::from(timestamp));
}
