//! How bytes are addressed: shard, space, key; and the stamp that orders commits of one shard.
//!
//! Owns the newtypes. Does not own their meaning: the engine uses a shard as a physical partition.

use bytes::Bytes;

/// An independent sequence of commits. Commits to one shard are ordered; commits to different shards are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shard(pub u32);

/// A separate key space inside every shard: a keyspace of an LSM tree, a table of a relational database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Space {
    /// A small number that must not change within a format version.
    pub number: u8,
    /// The name of the keyspace or table: lower-case ASCII letters and underscores.
    pub name: &'static str,
    /// How many first bytes are shared by the keys that are usually read together; zero if nothing is known. A hint for
    /// caches: it must not change the result of any call. Use the same number in every call, as for the other fields:
    /// a write invalidates what is cached under the prefix of this length.
    pub prefix_bytes: usize,
    /// Whether a commit writes many short entries to it, scattered over the keys, that are mostly scanned and hardly
    /// ever guarded, like the entries of an index. A hint: a store may keep what was written recently in another form
    /// than the rest. It must not change the result of any call either.
    pub buffered: bool,
}

/// The position of a commit in its shard: strictly increasing, never reused. Zero means "no commit yet".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stamp(pub u64);

impl Stamp {
    /// The stamp of a shard without commits.
    pub const ZERO: Self = Self(0);

    /// The stamp after this one.
    #[must_use]
    pub fn next(self) -> Self {
        // Cannot overflow: one commit per nanosecond would take 584 years.
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

/// A key: bytes, ordered lexicographically.
pub type StorageKey = Bytes;

/// A value: opaque bytes.
pub type StorageValue = Bytes;
