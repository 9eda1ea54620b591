//! What one commit writes, and under which conditions.
//!
//! Owns the plain data of a commit. Does not own its execution: each backend checks guards and assigns stamps itself.

use crate::{Shard, Space, Stamp, StorageKey, StorageValue};

/// Puts, removals and guards that are committed together and share one stamp.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteSet {
    /// Conditions on the state before the group that this set belongs to.
    pub guards: Vec<GuardedKey>,
    /// Writes in order; the last write to a key wins.
    pub writes: Vec<Write>,
    /// The assigned stamp is greater than this, so that a copied shard continues the sequence of its source.
    pub stamp_above: Stamp,
}

/// One write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Sets a key to a value.
    Put {
        /// The space of the key.
        space: Space,
        /// The key.
        key: StorageKey,
        /// The value.
        value: StorageValue,
        /// Offset in `key` at which the commit writes its stamp as 8 bytes, big endian.
        key_stamp_at: Option<usize>,
        /// Offset in `value` at which the commit writes its stamp as 8 bytes, big endian.
        value_stamp_at: Option<usize>,
    },
    /// Removes a key; removing an absent key is not an error.
    Remove {
        /// The space of the key.
        space: Space,
        /// The key.
        key: StorageKey,
    },
}

impl Write {
    /// The space that is written to.
    #[must_use]
    pub fn space(&self) -> Space {
        match self {
            Self::Put { space, .. } | Self::Remove { space, .. } => *space,
        }
    }
}

/// A condition that is checked as part of the commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// The key must not exist.
    Absent,
    /// The key must exist.
    Present,
    /// The key must hold exactly this value.
    Unchanged(StorageValue),
}

/// A guard with the key it concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardedKey {
    /// The space of the key.
    pub space: Space,
    /// The key.
    pub key: StorageKey,
    /// The condition.
    pub guard: Guard,
}

impl GuardedKey {
    /// Whether the condition holds for the stored value.
    #[must_use]
    pub fn holds(&self, stored: Option<&[u8]>) -> bool {
        match (&self.guard, stored) {
            (Guard::Absent, None) | (Guard::Present, Some(_)) => true,
            // An absent key is not an empty value.
            (Guard::Unchanged(expected), Some(value)) => expected.as_ref() == value,
            _ => false,
        }
    }
}

impl WriteSet {
    /// A set without writes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a put without stamps.
    pub fn put(
        &mut self,
        space: Space,
        key: impl Into<StorageKey>,
        value: impl Into<StorageValue>,
    ) {
        self.put_stamped(space, key, value, None, None);
    }

    /// Adds a put whose key, value or both receive the stamp at the given offsets.
    pub fn put_stamped(
        &mut self,
        space: Space,
        key: impl Into<StorageKey>,
        value: impl Into<StorageValue>,
        key_stamp_at: Option<usize>,
        value_stamp_at: Option<usize>,
    ) {
        let (key, value) = (key.into(), value.into());
        self.writes.push(Write::Put { space, key, value, key_stamp_at, value_stamp_at });
    }

    /// Adds a removal.
    pub fn remove(&mut self, space: Space, key: impl Into<StorageKey>) {
        self.writes.push(Write::Remove { space, key: key.into() });
    }

    /// Adds a guard.
    pub fn guard(&mut self, space: Space, key: impl Into<StorageKey>, guard: Guard) {
        self.guards.push(GuardedKey { space, key: key.into(), guard });
    }

    /// The stamp that this set receives if `last` is the newest stamp of its shard.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] when the sequence would overflow.
    pub fn stamp_after(&self, last: Stamp) -> crate::Result<Stamp> {
        // The greater of both: `stamp_above` must never lower a sequence.
        match last.max(self.stamp_above).0.checked_add(1) {
            Some(number) => Ok(Stamp(number)),
            None => Err(crate::Error::invalid("there is no stamp above the greatest number")),
        }
    }

    /// Refuses a stamp offset that does not fit its key or value; the error names the shard.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] when a stamp would lie outside its bytes.
    pub fn validate(&self, shard: Shard) -> crate::Result<()> {
        for write in &self.writes {
            if let Write::Put { space, key, value, key_stamp_at, value_stamp_at } = write {
                let fits = |at: &Option<usize>, length: usize| {
                    // A stamp has 8 bytes. Checked here once, so that writing it into the bytes cannot fail in the
                    // middle of a group.
                    at.is_none_or(|at| at.checked_add(8).is_some_and(|end| end <= length))
                };
                if !fits(key_stamp_at, key.len()) || !fits(value_stamp_at, value.len()) {
                    return Err(crate::Error::invalid(format!(
                        "a stamp offset lies outside its key or value (shard {}, space {})",
                        shard.0, space.name
                    )));
                }
            }
        }
        Ok(())
    }
}
