//! The names of the properties the service adds to each item.
//!
//! Owns the list of names that a client may not choose for its own use. Does not own their values.

/// Resource id, self link, etag, attachments link and timestamp, in the order they are appended to an item.
pub const SYSTEM_PROPERTY_NAMES: [&str; 5] = ["_rid", "_self", "_etag", "_attachments", "_ts"];

/// Whether the service owns the property of that name.
#[must_use]
pub fn is_system_property(name: &str) -> bool {
    SYSTEM_PROPERTY_NAMES.contains(&name)
}
