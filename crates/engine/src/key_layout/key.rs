//! Storage keys as writers encode them, and their decoding.
//!
//! Owns every key of the table in `key_layout` except the item key (`item_key`). Does not own ranges of terms as
//! queries scan them (`term`).

use std::borrow::Cow;

use bytes::BytesMut;
use model::value::structural_hash;
use model::{EpkRange, Json, Lsn};
use storage::{KeyRange, Shard, Space, StorageKey};

use super::item_key::{ItemKey, LogicalPartition, logical_partition_length};
use crate::ordered_bytes::{escape_into, push_escaped, unescape};

/// The first bytes that all local terms of one logical partition share: the kind, and the 16 bytes of the effective
/// partition key. A store may group what it caches by them.
const KEY_PREFIX_BYTES: usize = 1 + 16;

const fn space(number: u8, name: &'static str) -> Space {
    Space { number, name, prefix_bytes: KEY_PREFIX_BYTES, buffered: false }
}

/// Items by logical partition and id.
pub(crate) const ITEMS: Space = space(1, "items");
/// Index terms.
pub(crate) const TERMS: Space = Space { buffered: true, ..space(2, "terms") };
/// Unique keys.
pub(crate) const UNIQUE_KEYS: Space = space(3, "unique_keys");
/// The newest version of every item in the order of writing.
pub(crate) const CHANGE_LOG: Space = space(4, "change_log");
/// Superseded versions and deletions.
pub(crate) const VERSIONS: Space = space(5, "versions");
/// Items with a time to live of their own, by the second they expire.
pub(crate) const EXPIRY: Space = space(6, "expiry");
/// Counters and cursors of a physical partition.
pub(crate) const STATE: Space = space(7, "state");
/// Databases, containers, partition maps.
pub(crate) const CATALOG: Space = space(8, "catalog");

/// Query results between two pages.
pub(crate) const RESULTS: Space = space(9, "results");

/// Every space; a store is opened with this list.
pub const SPACES: &[Space] =
    &[ITEMS, TERMS, UNIQUE_KEYS, CHANGE_LOG, VERSIONS, EXPIRY, STATE, CATALOG, RESULTS];

/// Spaces whose content belongs to a physical partition.
pub(crate) const PARTITION_SPACES: &[Space] =
    &[ITEMS, TERMS, UNIQUE_KEYS, CHANGE_LOG, VERSIONS, EXPIRY, STATE];

/// The shard of the catalog.
pub(crate) const CATALOG_SHARD: Shard = Shard(0);

/// The shard of stored query results. Shards of partitions are numbered upwards from 1 and never reach it.
pub(crate) const RESULTS_SHARD: Shard = Shard(u32::MAX);

/// The key of the one state record of a partition.
pub(crate) const STATE_KEY: &[u8] = &[1];

// Stored. A number must never be given another meaning.
pub(super) const LOCAL_TERM: u8 = 1;
pub(super) const GLOBAL_TERM: u8 = 2;
pub(super) const LOCAL_COMPOSITE: u8 = 3;
pub(super) const GLOBAL_COMPOSITE: u8 = 4;
pub(super) const LOCAL_SHAPE: u8 = 5;
pub(super) const GLOBAL_SHAPE: u8 = 6;
pub(super) const SHAPE_PATHS: u8 = 7;
pub(super) const GLOBAL_CREATION: u8 = 8;
pub(super) const LOCAL_CREATION: u8 = 9;

/// Bytes of a path in a term; a longer one is replaced by its hash.
const TERM_PATH_BYTES_MAX: usize = 1024;

/// Item keys (and any other key that starts with lp) whose epk lies in the range.
pub(crate) fn epk_key_range(range: &EpkRange) -> KeyRange {
    let mut lower = Vec::new();
    escape_into(&mut lower, range.min.as_bytes());
    let mut upper = Vec::new();
    escape_into(&mut upper, range.max.as_bytes());
    // Without terminators: a bound is a prefix of the keys of its epk, so the upper one excludes all of them.
    KeyRange::half_open(lower.into(), upper.into())
}

/// Position of a change in its partition: lsn, sequence number inside the transaction, item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ChangePosition {
    pub(crate) lsn: Lsn,
    pub(crate) sequence: u16,
    pub(crate) ordinal: u64,
}

impl ChangePosition {
    /// Offset of the lsn in the key: a commit writes its stamp there.
    pub(crate) const LSN_AT: usize = 0;

    pub(crate) fn key(self) -> StorageKey {
        let mut key = Vec::with_capacity(18);
        key.extend_from_slice(&self.lsn.0.to_be_bytes());
        key.extend_from_slice(&self.sequence.to_be_bytes());
        key.extend_from_slice(&self.ordinal.to_be_bytes());
        key.into()
    }

    pub(crate) fn decode(key: &[u8]) -> Option<Self> {
        let lsn = Lsn(u64::from_be_bytes(key.get(..8)?.try_into().ok()?));
        let sequence = u16::from_be_bytes(key.get(8..10)?.try_into().ok()?);
        let ordinal = u64::from_be_bytes(key.get(10..18)?.try_into().ok()?);
        Some(Self { lsn, sequence, ordinal })
    }

    /// All positions after the whole transaction `lsn`.
    pub(crate) fn after(lsn: Lsn) -> KeyRange {
        // The lsn alone sorts before every position of that transaction.
        let lower = StorageKey::copy_from_slice(&lsn.0.saturating_add(1).to_be_bytes());
        KeyRange { lower: std::ops::Bound::Included(lower), upper: std::ops::Bound::Unbounded }
    }
}

/// The local and the global form of one term.
pub(crate) struct TermKeys {
    pub(crate) local: StorageKey,
    pub(crate) global: StorageKey,
}

/// Encodes the terms of one item; their keys share an allocation as far as they fit.
pub(crate) struct TermMaker<'item> {
    pub(crate) item: &'item ItemKey,
    pub(crate) ordinal: u64,
    pub(crate) room: BytesMut,
}

impl TermMaker<'_> {
    /// Terms of one path with one value.
    pub(crate) fn single(&mut self, path: &[u8], value: &[u8]) -> TermKeys {
        let (head, path) = path_parts(path);
        self.keys((LOCAL_TERM, GLOBAL_TERM), &[&head, &path, value])
    }

    /// Terms of one composite index; `values` are the encoded values in the order of the index.
    pub(crate) fn composite(&mut self, composite: u64, values: &[u8]) -> TermKeys {
        self.keys((LOCAL_COMPOSITE, GLOBAL_COMPOSITE), &[&composite.to_be_bytes(), values])
    }

    /// Terms of the shape of an item.
    pub(crate) fn shape(&mut self, shape: u128) -> TermKeys {
        self.keys((LOCAL_SHAPE, GLOBAL_SHAPE), &[&shape.to_be_bytes()])
    }

    fn keys(&mut self, kinds: (u8, u8), parts: &[&[u8]]) -> TermKeys {
        let partition = self.item.partition_slice();
        TermKeys {
            local: self.key(kinds.0, partition, parts),
            global: self.key(kinds.1, &[], parts),
        }
    }

    fn key(&mut self, kind: u8, partition: &[u8], parts: &[&[u8]]) -> StorageKey {
        self.room.extend_from_slice(&[kind]);
        self.room.extend_from_slice(partition);
        for part in parts {
            self.room.extend_from_slice(part);
        }
        self.room.extend_from_slice(&self.ordinal.to_be_bytes());
        // Hands out what was written so far; the rest of the buffer serves the next key without another allocation.
        self.room.split().freeze()
    }
}

/// The two entries that list an item in the order of creation. The keys share an allocation.
pub(crate) fn creation_keys(item: &ItemKey, ordinal: u64) -> TermKeys {
    let (partition, ordinal) = (item.partition_slice(), ordinal.to_be_bytes());
    let global_bytes = 1 + ordinal.len();
    let mut keys = Vec::with_capacity(2 * global_bytes + partition.len());
    keys.push(GLOBAL_CREATION);
    keys.extend_from_slice(&ordinal);
    keys.push(LOCAL_CREATION);
    keys.extend_from_slice(partition);
    keys.extend_from_slice(&ordinal);
    let mut local = StorageKey::from(keys);
    let global = local.split_to(global_bytes);
    TermKeys { local, global }
}

/// The key of the paths of a shape.
pub(crate) fn shape_paths_key(shape: u128) -> StorageKey {
    let mut key = vec![SHAPE_PATHS];
    key.extend_from_slice(&shape.to_be_bytes());
    key.into()
}

/// Whether a key of the space `terms` holds the paths of a shape and therefore belongs to no single item.
pub(crate) fn is_shape_paths(key: &[u8]) -> bool {
    key.first() == Some(&SHAPE_PATHS)
}

/// Whether a key of the space `terms` lists an item in the order of creation.
pub(crate) fn is_creation_entry(key: &[u8]) -> bool {
    matches!(key.first(), Some(&(GLOBAL_CREATION | LOCAL_CREATION)))
}

/// The item that an entry of any space belongs to.
pub(crate) fn owner_of_entry(
    space: Space,
    key: &StorageKey,
    value: &StorageKey,
    levels: usize,
) -> Option<ItemKey> {
    let partition_at = match (space, *key.first()?) {
        (TERMS, LOCAL_TERM | LOCAL_COMPOSITE | LOCAL_SHAPE | LOCAL_CREATION) => 1,
        // A unique key begins with the logical partition, without a kind in front.
        (UNIQUE_KEYS, _) => 0,
        (TERMS, GLOBAL_TERM | GLOBAL_COMPOSITE | GLOBAL_SHAPE | GLOBAL_CREATION) | (EXPIRY, _) => {
            return ItemKey::decode(value.clone(), levels);
        }
        (CHANGE_LOG, _) => {
            // The layout of `LogEntry`; this folder may not import `record`.
            let length = u16::from_be_bytes(value.get(..2)?.try_into().ok()?);
            let key = value.get(2..2 + usize::from(length))?;
            return ItemKey::decode(StorageKey::copy_from_slice(key), levels);
        }
        _ => return None,
    };
    let partition = key.get(partition_at..)?;
    let length = logical_partition_length(partition, levels)?;
    let partition = LogicalPartition(StorageKey::copy_from_slice(partition.get(..length)?));
    Some(partition.item(std::str::from_utf8(value).ok()?))
}

/// All local terms of one path in one logical partition, in the order of their values.
#[cfg(test)]
pub(crate) fn local_term_range(partition: &LogicalPartition, path: &[u8]) -> KeyRange {
    let mut prefix = vec![LOCAL_TERM];
    prefix.extend_from_slice(partition.as_bytes());
    push_path(&mut prefix, path);
    KeyRange::prefix(&prefix)
}

/// All global terms of one path with one value.
#[cfg(test)]
pub(crate) fn global_term_range(path: &[u8], value: &[u8]) -> KeyRange {
    let mut prefix = vec![GLOBAL_TERM];
    push_path(&mut prefix, path);
    prefix.extend_from_slice(value);
    KeyRange::prefix(&prefix)
}

/// A unique key of one logical partition with the encoded values it must not repeat.
pub(crate) fn unique_key(partition: &LogicalPartition, number: u8, values: &[u8]) -> StorageKey {
    let mut key = Vec::with_capacity(partition.0.len() + values.len() + 1);
    key.extend_from_slice(partition.as_bytes());
    // The position of the unique key in the container's list, which cannot be changed after creation.
    key.push(number);
    key.extend_from_slice(values);
    key.into()
}

/// The key of an item with a time to live of its own.
pub(crate) fn expiry_key(expires_at_seconds: u64, ordinal: u64) -> StorageKey {
    let mut key = Vec::with_capacity(16);
    key.extend_from_slice(&expires_at_seconds.to_be_bytes());
    key.extend_from_slice(&ordinal.to_be_bytes());
    key.into()
}

/// The keys of items that expired at `now_seconds` or before.
pub(crate) fn expired_range(now_seconds: u64) -> KeyRange {
    let upper = StorageKey::copy_from_slice(&now_seconds.saturating_add(1).to_be_bytes());
    KeyRange { lower: std::ops::Bound::Unbounded, upper: std::ops::Bound::Excluded(upper) }
}

/// A catalog key: the kind of record, then names, each with a terminator.
pub(crate) fn catalog_key(kind: u8, names: &[&str]) -> StorageKey {
    let mut key = vec![kind];
    for name in names {
        push_escaped(&mut key, name.as_bytes());
    }
    key.into()
}

/// The common prefix of the keys of a kind whose first name begins with a text.
pub(crate) fn catalog_prefix(kind: u8, beginning: &str) -> Vec<u8> {
    let mut prefix = vec![kind];
    // Not escaped and without terminator: only for texts without a zero byte, such as ids in hex.
    prefix.extend_from_slice(beginning.as_bytes());
    prefix
}

/// The first name of a catalog key; none if it is damaged.
pub(crate) fn catalog_name(key: &[u8]) -> Option<String> {
    let (name, _) = unescape(key.get(1..)?)?;
    String::from_utf8(name).ok()
}

/// A path in a term: its length and its text; or, if it is too long, a mark and its hash.
fn path_parts(path: &[u8]) -> ([u8; 2], Cow<'_, [u8]>) {
    if path.len() > TERM_PATH_BYTES_MAX {
        // Lossy changes nothing: paths are made of names, which are UTF-8.
        let hash = structural_hash(&Json::from(String::from_utf8_lossy(path).into_owned()));
        return (u16::MAX.to_be_bytes(), hash.to_be_bytes().to_vec().into());
    }
    let length = u16::try_from(path.len()).unwrap_or(u16::MAX);
    (length.to_be_bytes(), path.into())
}

pub(super) fn push_path(key: &mut Vec<u8>, path: &[u8]) {
    let (head, path) = path_parts(path);
    key.extend_from_slice(&head);
    key.extend_from_slice(&path);
}
