//! Ranges of terms as queries scan them, and the decoding of terms.
//!
//! Owns the prefix that all terms of a path, composite index or shape share, in one logical partition or across a
//! physical one, and the decoding of an entry to value, ordinal and item. Does not own which terms are written.

use bytes::{Buf, Bytes};
use storage::{Direction, Entry, KeyRange, StorageKey};

use super::item_key::LogicalPartition;
use super::key::{
    GLOBAL_COMPOSITE, GLOBAL_CREATION, GLOBAL_SHAPE, GLOBAL_TERM, LOCAL_COMPOSITE, LOCAL_CREATION,
    LOCAL_SHAPE, LOCAL_TERM, SHAPE_PATHS, push_path,
};

/// Bytes of an ordinal at the end of a term.
const ORDINAL_BYTES: usize = 8;

/// The common prefix of all terms of one path, composite index or shape.
#[derive(Clone, Debug)]
pub(crate) struct TermPrefix {
    bytes: Vec<u8>,
    logical: Option<LogicalPartition>,
}

/// A decoded term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TermHit {
    /// The encoded value or values.
    pub(crate) value: Bytes,
    pub(crate) ordinal: u64,
    /// The key of the item.
    pub(crate) key: StorageKey,
}

impl TermPrefix {
    /// Terms of a path.
    pub(crate) fn path(logical: Option<&LogicalPartition>, path: &[u8]) -> Self {
        let mut prefix = Self::new((LOCAL_TERM, GLOBAL_TERM), logical);
        push_path(&mut prefix.bytes, path);
        prefix
    }

    /// Terms of a composite index.
    pub(crate) fn composite(logical: Option<&LogicalPartition>, number: u64) -> Self {
        let mut prefix = Self::new((LOCAL_COMPOSITE, GLOBAL_COMPOSITE), logical);
        prefix.bytes.extend_from_slice(&number.to_be_bytes());
        prefix
    }

    /// Terms of a shape.
    pub(crate) fn shape(logical: Option<&LogicalPartition>, shape: u128) -> Self {
        let mut prefix = Self::new((LOCAL_SHAPE, GLOBAL_SHAPE), logical);
        prefix.bytes.extend_from_slice(&shape.to_be_bytes());
        prefix
    }

    /// The entries of all items in the order of creation, which have no value.
    pub(crate) fn creation(logical: Option<&LogicalPartition>) -> Self {
        Self::new((LOCAL_CREATION, GLOBAL_CREATION), logical)
    }

    fn new(kinds: (u8, u8), logical: Option<&LogicalPartition>) -> Self {
        let mut bytes = Vec::with_capacity(64);
        match logical {
            Some(logical) => {
                bytes.push(kinds.0);
                bytes.extend_from_slice(logical.as_bytes());
            }
            None => bytes.push(kinds.1),
        }
        Self { bytes, logical: logical.cloned() }
    }

    /// Terms whose value begins with these bytes.
    pub(crate) fn with(&self, value: &[u8]) -> KeyRange {
        // A prefix is exact for a complete value: encodings end by themselves, so no other value begins with one.
        KeyRange::prefix(&self.key(value, None))
    }

    /// Terms of one value with greater ordinals.
    pub(crate) fn after(&self, value: &[u8], ordinal: Option<u64>) -> KeyRange {
        let all = self.with(value);
        match ordinal {
            Some(_) => all.after(self.key(value, ordinal), Direction::Forward),
            None => all,
        }
    }

    /// Terms whose values lie between a lower bound, included, and an upper bound, excluded.
    pub(crate) fn between(&self, low: &[u8], high: &[u8]) -> KeyRange {
        KeyRange::half_open(self.key(low, None), self.key(high, None))
    }

    /// The key of a term; without an ordinal, the position before all terms of a value.
    pub(crate) fn key(&self, value: &[u8], ordinal: Option<u64>) -> StorageKey {
        let mut key = Vec::with_capacity(self.bytes.len() + value.len() + ORDINAL_BYTES);
        key.extend_from_slice(&self.bytes);
        key.extend_from_slice(value);
        key.extend(ordinal.iter().flat_map(|ordinal| ordinal.to_be_bytes()));
        key.into()
    }

    /// Decodes the terms of a page; none if one is damaged. The keys of their items share an allocation.
    pub(crate) fn decode(&self, entries: Vec<Entry>) -> Option<Vec<TermHit>> {
        let mut keys = match &self.logical {
            Some(logical) => item_keys(logical, &entries)?,
            None => Bytes::new(),
        };
        let mut hits = Vec::with_capacity(entries.len());
        for Entry { key: mut value, value: item } in entries {
            // The ordinal has a fixed length at the end; values have none that could be read from the front without
            // decoding.
            let end = value.len().checked_sub(ORDINAL_BYTES)?;
            let ordinal = u64::from_be_bytes(value.get(end..)?.try_into().ok()?);
            if end < self.bytes.len() {
                return None;
            }
            value.truncate(end);
            value.advance(self.bytes.len());
            let key = match &self.logical {
                // Cuts the concatenated keys in the order in which `item_keys` has joined them.
                Some(logical) => keys.split_to(logical.as_bytes().len() + item.len()),
                None => item,
            };
            hits.push(TermHit { value, ordinal, key });
        }
        Some(hits)
    }
}

/// The concatenated keys of the items of local terms; none if an id is damaged.
fn item_keys(logical: &LogicalPartition, entries: &[Entry]) -> Option<Bytes> {
    let ids: usize = entries.iter().map(|entry| entry.value.len()).sum();
    let mut keys = Vec::with_capacity(ids + entries.len() * logical.as_bytes().len());
    for entry in entries {
        // Most ids are ASCII, which is cheap to check.
        if !entry.value.is_ascii() {
            std::str::from_utf8(&entry.value).ok()?;
        }
        keys.extend_from_slice(logical.as_bytes());
        keys.extend_from_slice(&entry.value);
    }
    Some(keys.into())
}

/// The range of the paths of all shapes.
pub(crate) fn shape_paths_range() -> KeyRange {
    KeyRange::prefix(&[SHAPE_PATHS])
}

/// The shape of a key in that range.
pub(crate) fn shape_of(key: &[u8]) -> Option<u128> {
    Some(u128::from_be_bytes(key.get(1..)?.try_into().ok()?))
}

/// What a term is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TermSubject<'key> {
    /// A value at a path.
    Path(&'key [u8]),
    /// The values of a composite index, by its number.
    Composite(u64),
    /// The set of paths that an item has.
    Shape,
}

/// Decodes what a term is about; none if it is damaged or its path is stored as a hash. `partition_bytes` is the length
/// of the logical partition in the key of its item.
pub(crate) fn term_subject(key: &[u8], partition_bytes: usize) -> Option<TermSubject<'_>> {
    let (kind, rest) = key.split_first()?;
    let rest = match *kind {
        LOCAL_TERM | LOCAL_COMPOSITE | LOCAL_SHAPE => rest.get(partition_bytes..)?,
        _ => rest,
    };
    match *kind {
        LOCAL_TERM | GLOBAL_TERM => {
            let (length, rest) = rest.split_first_chunk::<2>()?;
            rest.get(..usize::from(u16::from_be_bytes(*length))).map(TermSubject::Path)
        }
        LOCAL_COMPOSITE | GLOBAL_COMPOSITE => {
            rest.first_chunk().map(|number| TermSubject::Composite(u64::from_be_bytes(*number)))
        }
        LOCAL_SHAPE | GLOBAL_SHAPE => Some(TermSubject::Shape),
        _ => None,
    }
}
