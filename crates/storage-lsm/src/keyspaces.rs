//! The tree with one keyspace per space, and how (shard, key) becomes a key of the tree.
//!
//! Owns the key layout: four bytes of shard, big endian, then the key, so that a shard is one interval.
//! Does not own commits or reads: `committer` and `read` use what is here.

use std::ops::Bound;
use std::path::PathBuf;

use fjall::{Database, Keyspace};
use storage::{Direction, Error, KeyRange, Result, Shard, Space};

/// Bytes in front of every key.
pub(crate) const SHARD_BYTES: usize = 4;

/// The longest key the tree takes, without the shard.
pub(crate) const KEY_BYTES_MAX: usize = u16::MAX as usize - SHARD_BYTES;

/// Name of the keyspace that holds the newest stamp of each shard.
pub(crate) const STAMPS: &str = "stamps";

/// The opened tree.
pub(crate) struct Keyspaces {
    pub(crate) path: PathBuf,
    pub(crate) database: Database,
    /// By the number of the space.
    pub(crate) by_number: Vec<Option<Keyspace>>,
    pub(crate) stamps: Keyspace,
    /// Bytes of a memtable beyond which it is sealed.
    pub(crate) memtable_bytes_max: u64,
}

impl Keyspaces {
    pub(crate) fn of(&self, space: Space) -> Result<&Keyspace> {
        match self.by_number.get(usize::from(space.number)) {
            Some(Some(keyspace)) => Ok(keyspace),
            _ => Err(Error::refused(format!(
                "the store was opened without the space {} (number {})",
                space.name, space.number
            ))),
        }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Keyspace> {
        self.by_number.iter().flatten().chain(std::iter::once(&self.stamps))
    }
}

/// Calls `read` with the key of the tree; ordinary keys do not allocate.
pub(crate) fn with_tree_key<T>(shard: Shard, key: &[u8], read: impl FnOnce(&[u8]) -> T) -> T {
    let mut short = [0; 256];
    match short.get_mut(..SHARD_BYTES + key.len()) {
        Some(place) => {
            let (head, tail) = place.split_at_mut(SHARD_BYTES);
            head.copy_from_slice(&shard.0.to_be_bytes());
            tail.copy_from_slice(key);
            read(place)
        }
        None => read(&[&shard.0.to_be_bytes(), key].concat()),
    }
}

/// The interval of the tree that a range of one shard stands for. Forward, to the end of the shard, it goes on beyond
/// the shard: the tree looks for an upper bound in every block anew, and [`in_shard`] finds the end for less.
pub(crate) fn tree_range(
    shard: Shard,
    range: &KeyRange,
    direction: Direction,
) -> (Bound<Vec<u8>>, Bound<Vec<u8>>) {
    let prefixed = |key: &[u8]| [&shard.0.to_be_bytes(), key].concat();
    let lower = match &range.lower {
        Bound::Included(key) => Bound::Included(prefixed(key)),
        Bound::Excluded(key) => Bound::Excluded(prefixed(key)),
        Bound::Unbounded => Bound::Included(prefixed(&[])),
    };
    let upper = match (&range.upper, shard.0.checked_add(1)) {
        (Bound::Included(key), _) => Bound::Included(prefixed(key)),
        (Bound::Excluded(key), _) => Bound::Excluded(prefixed(key)),
        (Bound::Unbounded, Some(next)) if direction == Direction::Backward => {
            Bound::Excluded(next.to_be_bytes().to_vec())
        }
        (Bound::Unbounded, _) => Bound::Unbounded,
    };
    (lower, upper)
}

/// A key of the tree without the shard in front; none when it is another shard's.
pub(crate) fn in_shard(shard: Shard, key: &[u8]) -> Option<&[u8]> {
    key.strip_prefix(&shard.0.to_be_bytes())
}
