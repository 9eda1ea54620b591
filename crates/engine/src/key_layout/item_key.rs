//! The storage key of an item: its logical partition, then its id.
//!
//! Owns encoding, validation when it is read, and its parts.

use model::{EffectivePartitionKey, PartitionKey};
use storage::StorageKey;

use crate::ordered_bytes::{
    component_length, decode_components, escaped_length, is_text, length_encoded, length_escaped,
    push_component, push_escaped, unescape,
};

/// The storage key prefix of one logical partition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LogicalPartition(pub(super) StorageKey);

impl LogicalPartition {
    pub(crate) fn new(epk: &EffectivePartitionKey, partition_key: &PartitionKey) -> Self {
        Self(logical_partition_bytes(epk, partition_key, 0).into())
    }

    /// The prefix all keys of this logical partition start with.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Borrows the logical partition.
    pub(crate) fn partition_ref(&self) -> LogicalPartitionRef<'_> {
        LogicalPartitionRef { key: &self.0, bytes: self.0.len() }
    }

    /// The partition key of a logical partition; none if the bytes are damaged.
    pub(crate) fn partition_key(bytes: &[u8]) -> Option<PartitionKey> {
        let components = decode_components(bytes.get(escaped_length(bytes)?..)?)?;
        Some(PartitionKey::from_values(components))
    }

    /// The storage key of one item.
    pub(crate) fn item(&self, id: &str) -> ItemKey {
        let mut key = Vec::with_capacity(self.0.len() + id.len());
        key.extend_from_slice(&self.0);
        // The id comes last and needs no terminator.
        key.extend_from_slice(id.as_bytes());
        ItemKey { bytes: key.into(), partition_bytes: self.0.len() }
    }
}

/// A logical partition borrowed from a key: the key, and how many of its bytes name the partition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogicalPartitionRef<'key> {
    key: &'key StorageKey,
    bytes: usize,
}

impl<'key> LogicalPartitionRef<'key> {
    /// The prefix all keys of this logical partition start with.
    pub(crate) fn as_bytes(self) -> &'key [u8] {
        self.key.get(..self.bytes).unwrap_or_default()
    }
}

/// The storage key of one item: logical partition, then id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ItemKey {
    bytes: StorageKey,
    partition_bytes: usize,
}

impl ItemKey {
    pub(crate) fn new(epk: &EffectivePartitionKey, key: &PartitionKey, id: &str) -> Self {
        let mut bytes = logical_partition_bytes(epk, key, id.len());
        let partition_bytes = bytes.len();
        bytes.extend_from_slice(id.as_bytes());
        Self { bytes: bytes.into(), partition_bytes }
    }

    /// Decodes a stored item key; none if it is damaged.
    pub(crate) fn decode(bytes: StorageKey, levels: usize) -> Option<Self> {
        let partition_bytes = ItemKeyView::decode(&bytes, levels)?.partition_bytes;
        Some(Self { bytes, partition_bytes })
    }

    pub(crate) fn as_bytes(&self) -> &StorageKey {
        &self.bytes
    }

    pub(crate) fn view(&self) -> ItemKeyView<'_> {
        ItemKeyView { bytes: &self.bytes, partition_bytes: self.partition_bytes }
    }

    /// The logical partition part.
    pub(crate) fn partition(&self) -> LogicalPartition {
        // Shares the bytes of the key; nothing is copied.
        LogicalPartition(self.bytes.slice(..self.partition_bytes))
    }

    /// Borrows the logical partition.
    pub(crate) fn partition_ref(&self) -> LogicalPartitionRef<'_> {
        LogicalPartitionRef { key: &self.bytes, bytes: self.partition_bytes }
    }

    pub(super) fn partition_slice(&self) -> &[u8] {
        self.view().partition_slice()
    }

    /// The id part.
    pub(crate) fn id_bytes(&self) -> StorageKey {
        self.bytes.slice(self.partition_bytes..)
    }

    /// The id part as text.
    pub(crate) fn id(&self) -> &str {
        self.view().id()
    }

    /// The effective partition key part.
    pub(crate) fn epk(&self) -> EffectivePartitionKey {
        self.view().epk()
    }

    /// The partition key part.
    pub(crate) fn partition_key(&self) -> PartitionKey {
        self.view().partition_key()
    }
}

/// A borrowed item key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemKeyView<'bytes> {
    bytes: &'bytes [u8],
    partition_bytes: usize,
}

impl<'bytes> ItemKeyView<'bytes> {
    /// Validates a stored item key; none if it is damaged.
    pub(crate) fn decode(bytes: &'bytes [u8], levels: usize) -> Option<Self> {
        let partition_bytes = logical_partition_length(bytes, levels)?;
        // Checked here once, so that `id` needs no error path.
        is_text(bytes.get(partition_bytes..)?).then_some(Self { bytes, partition_bytes })
    }

    /// Views a key that was validated before, with the length of its logical partition.
    pub(crate) fn checked(bytes: &'bytes [u8], partition_bytes: usize) -> Self {
        Self { bytes, partition_bytes }
    }

    /// How many bytes its logical partition has.
    pub(crate) fn partition_bytes(self) -> usize {
        self.partition_bytes
    }

    fn partition_slice(self) -> &'bytes [u8] {
        self.bytes.get(..self.partition_bytes).unwrap_or_default()
    }

    /// The id part as text.
    pub(crate) fn id(self) -> &'bytes str {
        let id = self.bytes.get(self.partition_bytes..).unwrap_or_default();
        // Validated when the key was made or decoded; the default is never used.
        std::str::from_utf8(id).unwrap_or_default()
    }

    /// The effective partition key part.
    pub(crate) fn epk(self) -> EffectivePartitionKey {
        EffectivePartitionKey::from_bytes(unescape(self.bytes).map_or(Vec::new(), |(epk, _)| epk))
    }

    /// The partition key part.
    pub(crate) fn partition_key(self) -> PartitionKey {
        let components = escaped_length(self.bytes)
            .and_then(|epk| decode_components(self.partition_slice().get(epk..)?))
            .expect("a logical partition was encoded here, or checked when the key was read");
        PartitionKey::from_values(components)
    }
}

/// The bytes of a logical partition, with exactly `room` bytes of spare capacity: a vector that is filled exactly
/// becomes a `Bytes` without reallocation.
fn logical_partition_bytes(
    epk: &EffectivePartitionKey,
    key: &PartitionKey,
    room: usize,
) -> Vec<u8> {
    let components: usize = key.components().iter().map(length_encoded).sum();
    let mut bytes = Vec::with_capacity(length_escaped(epk.as_bytes()) + components + room);
    push_escaped(&mut bytes, epk.as_bytes());
    for component in key.components() {
        push_component(&mut bytes, component);
    }
    bytes
}

/// How many bytes of an item key are its logical partition.
pub(super) fn logical_partition_length(key: &[u8], levels: usize) -> Option<usize> {
    let mut at = escaped_length(key)?;
    for _ in 0..levels {
        at += component_length(key.get(at..)?)?;
    }
    // An id has at least one character.
    (at < key.len()).then_some(at)
}
