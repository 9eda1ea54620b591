//! Entries of the change feed, in both modes.
//!
//! Owns their JSON. Does not own which changes there are.

use engine::change_feed::{ChangeOperation, ChangeRecord};
use model::{Json, Object, PartitionKeyDefinition};

/// Serializes the item with the property `_lsn` appended. The stored text is copied, not parsed.
pub(super) fn encode_latest_version(change: &ChangeRecord) -> Vec<u8> {
    let text = change.current_text().unwrap_or(b"{}");
    // The stored text is compact JSON, so its last byte closes the item.
    let open = text.strip_suffix(b"}").unwrap_or(text);
    let mut bytes = Vec::with_capacity(text.len() + 24);
    bytes.extend_from_slice(open);
    if open.len() > 1 {
        bytes.push(b',');
    }
    bytes.extend_from_slice(format!("\"_lsn\":{}}}", change.lsn()).as_bytes());
    bytes
}

/// Whether entries of the feed of all versions contain the item before the change.
#[derive(Clone, Copy, Debug)]
pub(super) enum PreviousImages {
    Sent,
    Omitted,
}

/// Serializes the item with its position beside it.
pub(super) fn encode_current(change: &ChangeRecord) -> Vec<u8> {
    let item = change.current_text().unwrap_or(b"{}");
    let mut text = Vec::with_capacity(item.len() + 64);
    text.extend_from_slice(b"{\"current\":");
    text.extend_from_slice(item);
    let (lsn, seconds) = (change.lsn(), change.timestamp().0);
    let metadata = format!(",\"metadata\":{{\"lsn\":{lsn},\"crts\":{seconds}}}}}");
    text.extend_from_slice(metadata.as_bytes());
    text
}

/// Serializes the item after the change, with the metadata of the change, and on request the item before it.
pub(super) fn encode_all_versions(
    change: &ChangeRecord,
    definition: &PartitionKeyDefinition,
    previous_images: PreviousImages,
) -> Vec<u8> {
    let mut text = b"{\"current\":".to_vec();
    text.extend_from_slice(change.current_text().unwrap_or(b"{}"));
    // An expired item has no image in the service, whatever is enabled.
    let is_sent = matches!(previous_images, PreviousImages::Sent)
        && change.operation() != ChangeOperation::Expire;
    if let Some(previous) = change.previous().filter(|_| is_sent) {
        text.extend_from_slice(b",\"previous\":");
        text.extend_from_slice(previous.text());
    }
    text.extend_from_slice(b",\"metadata\":");
    Json::Object(metadata(change, definition)).print_to(&mut text);
    text.push(b'}');
    text
}

fn metadata(change: &ChangeRecord, definition: &PartitionKeyDefinition) -> Object {
    let integer = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let operation = match change.operation() {
        ChangeOperation::Create => "create",
        ChangeOperation::Replace => "replace",
        ChangeOperation::Delete | ChangeOperation::Expire => "delete",
    };
    let mut metadata = Object::new();
    metadata.insert("operationType", operation);
    metadata.insert("lsn", integer(change.lsn().0));
    metadata.insert("crts", integer(change.timestamp().0));
    metadata.insert("previousImageLSN", integer(change.previous_lsn().0));
    metadata.insert("timeToLiveExpired", change.operation() == ChangeOperation::Expire);
    // Only a deletion names its item here; otherwise `current` does.
    if change.current_text().is_none() {
        metadata.insert("id", change.id());
        metadata.insert("partitionKey", partition_key(change, definition));
    }
    metadata
}

fn partition_key(change: &ChangeRecord, definition: &PartitionKeyDefinition) -> Object {
    let mut key = Object::new();
    let values = change.partition_key().to_json();
    let values = values.as_array().unwrap_or_default();
    for (path, value) in definition.paths().iter().zip(values) {
        // An undefined value is an empty object in the JSON of a partition key. In the metadata it is absent.
        if value.as_object().is_none() {
            key.insert(path.segments().last().map_or("", String::as_str), value.clone());
        }
    }
    key
}
