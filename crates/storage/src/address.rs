//! How bytes are addressed: shard, space, key; and the stamp that orders commits of one shard.
//!
//! Owns the newtypes. Does not own what the numbers stand for: `engine` decides that a shard is a physical partition.

use bytes::Bytes;

/// One independent sequence of commits. Commits of one shard are ordered; commits of two shards are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shard(pub u32);

/// A separately kept set of keys inside every shard: a keyspace in an LSM tree, a table in PostgreSQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Space {
    /// Small number that stays the same for the life of a format version.
    pub number: u8,
    /// Name of the keyspace or table; lower-case ASCII letters and underscores.
    pub name: &'static str,
}

/// Position of a commit in its shard: strictly increasing, never reused. Zero means "no commit yet".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stamp(pub u64);

impl Stamp {
    /// The stamp of a shard that has never been written.
    pub const ZERO: Self = Self(0);

    /// The stamp after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Writes the stamp as 8 bytes, big endian, at offset `at`; does nothing if there is none.
    ///
    /// [`crate::WriteSet::validate`] has checked that the offset lies inside.
    pub fn write_at(self, bytes: &mut [u8], at: Option<usize>) {
        if let Some(at) = at
            && let Some(target) = bytes.get_mut(at..at + 8)
        {
            target.copy_from_slice(&self.0.to_be_bytes());
        }
    }
}

/// Ordered bytes; compared byte by byte.
pub type StorageKey = Bytes;

/// Opaque bytes.
pub type StorageValue = Bytes;
