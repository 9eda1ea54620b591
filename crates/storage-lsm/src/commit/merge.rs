//! Several groups as one batch of the tree.
//!
//! Owns the order inside a batch: groups are checked and stamped one after the other, each seeing those before it,
//! and on
//! the same key the last write stays. The tree gives all entries of a batch one sequence number, so a key must not
//! appear twice. Does not own writing the batch: `committer` does.

use fjall::{OwnedWriteBatch, PersistMode, Slice};
use foldhash::HashMap;
use storage::{Error, Result, Shard, Space, Stamp, Write, WriteSet};

use crate::failure::read_failed;
use crate::keyspaces::{KEY_BYTES_MAX, SHARD_BYTES};
use crate::store::Shared;

const GROUPS_MAX: usize = 512;
const BYTES_MAX: usize = 4 * 1024 * 1024;

/// What the next batch will hold. Kept between batches for its allocations.
#[derive(Default)]
pub(crate) struct Merge {
    entries: Vec<MergedEntry>,
    /// By the number of the space: where each key stands in `entries`.
    places: Vec<HashMap<Slice, usize>>,
    stamps: HashMap<Shard, Stamp>,
    groups: usize,
    bytes: usize,
    scratch: Vec<u8>,
}

struct MergedEntry {
    space: Space,
    key: Slice,
    /// `None` removes.
    value: Option<Slice>,
}

impl Merge {
    pub(crate) fn is_empty(&self) -> bool {
        self.groups == 0
    }

    pub(crate) fn is_full(&self) -> bool {
        self.groups >= GROUPS_MAX || self.bytes >= BYTES_MAX
    }

    /// The newest stamp of every shard in the batch.
    pub(crate) fn stamps(&self) -> impl Iterator<Item = (Shard, Stamp)> {
        self.stamps.iter().map(|(shard, stamp)| (*shard, *stamp))
    }

    /// Adds a group, or refuses it as a whole.
    pub(crate) fn add(
        &mut self,
        shared: &Shared,
        shard: Shard,
        group: &[WriteSet],
    ) -> Result<Vec<Stamp>> {
        for set in group {
            set.validate(shard)?;
            self.validate_sizes(shared, set)?;
        }
        for set in group {
            self.check_guards(shared, shard, set)?;
        }
        let mut last = match self.stamps.get(&shard) {
            Some(stamp) => *stamp,
            None => shared.last_stamps.last(shard),
        };
        let mut stamps = Vec::with_capacity(group.len());
        for set in group {
            last = set.stamp_after(last)?;
            stamps.push(last);
        }
        // From here on nothing can fail: a group is merged whole or not at all.
        for (set, stamp) in group.iter().zip(&stamps) {
            for write in &set.writes {
                self.write(shard, write, *stamp);
            }
        }
        if !group.is_empty() {
            self.stamps.insert(shard, last);
            self.groups += 1;
        }
        Ok(stamps)
    }

    /// Moves everything into a batch of the tree. From here on nobody finds the old values outside of it.
    pub(crate) fn take_batch(
        &mut self,
        shared: &Shared,
        mode: PersistMode,
    ) -> Result<OwnedWriteBatch> {
        let keyspaces = &shared.keyspaces;
        let capacity = self.entries.len() + self.stamps.len();
        let batch = OwnedWriteBatch::with_capacity(keyspaces.database.clone(), capacity);
        let mut batch = batch.durability(Some(mode));
        // Neighbours share most of their way through a memtable: in order, that way is in the processor's cache.
        self.entries.sort_unstable_by(|left, right| {
            (left.space.number, &left.key).cmp(&(right.space.number, &right.key))
        });
        let mut writing = shared.recent.writing();
        for entry in self.entries.drain(..) {
            let keyspace = keyspaces.of(entry.space)?;
            writing.key(entry.space, &entry.key);
            match entry.value {
                Some(value) => batch.insert(keyspace, entry.key, value),
                None => batch.remove(keyspace, entry.key),
            }
        }
        for (shard, stamp) in &self.stamps {
            let (shard, stamp) = (shard.0.to_be_bytes(), stamp.0.to_be_bytes());
            batch.insert(&keyspaces.stamps, shard, stamp);
        }
        Ok(batch)
    }

    /// Forgets the batch.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.places.iter_mut().for_each(HashMap::clear);
        self.stamps.clear();
        self.groups = 0;
        self.bytes = 0;
    }

    fn validate_sizes(&mut self, shared: &Shared, set: &WriteSet) -> Result<()> {
        let written = set.writes.iter().map(|write| match write {
            Write::Put { space, key, value, .. } => (*space, key, value.len()),
            Write::Remove { space, key } => (*space, key, 0),
        });
        let guarded = set.guards.iter().map(|guarded| (guarded.space, &guarded.key, 0));
        for (space, key, value_bytes) in written.chain(guarded) {
            shared.keyspaces.of(space)?;
            let places = usize::from(space.number) + 1;
            if self.places.len() < places {
                self.places.resize_with(places, HashMap::default);
            }
            if key.len() > KEY_BYTES_MAX {
                return Err(Error::refused(format!(
                    "a key of {} bytes in space {} is longer than {KEY_BYTES_MAX}",
                    key.len(),
                    space.name
                )));
            }
            if u32::try_from(value_bytes).is_err() {
                return Err(Error::refused(format!(
                    "a value of {value_bytes} bytes in space {} is longer than {}",
                    space.name,
                    u32::MAX
                )));
            }
        }
        Ok(())
    }

    fn check_guards(&mut self, shared: &Shared, shard: Shard, set: &WriteSet) -> Result<()> {
        for guarded in &set.guards {
            tree_key(&mut self.scratch, shard, &guarded.key);
            let places = self.places.get(usize::from(guarded.space.number));
            let merged = places.and_then(|places| places.get(self.scratch.as_slice()));
            let holds = match merged.and_then(|place| self.entries.get(*place)) {
                Some(entry) => guarded.holds(entry.value.as_deref()),
                None => {
                    // The committer is the only writer, so what it reads here is the state before the batch.
                    let stored = shared.keyspaces.of(guarded.space)?.get(&self.scratch);
                    let stored =
                        stored.map_err(|error| read_failed(&shared.keyspaces.path, error))?;
                    guarded.holds(stored.as_deref())
                }
            };
            if !holds {
                return Err(Error::guard_failed(shard, guarded.space, guarded.key.clone()));
            }
        }
        Ok(())
    }

    fn write(&mut self, shard: Shard, write: &Write, stamp: Stamp) {
        let (space, key, key_stamp_at, value) = match write {
            Write::Put { space, key, value, key_stamp_at, value_stamp_at } => {
                let value = stamped_value(&mut self.scratch, value, *value_stamp_at, stamp);
                (*space, key, *key_stamp_at, Some(value))
            }
            Write::Remove { space, key } => (*space, key, None, None),
        };
        tree_key(&mut self.scratch, shard, key);
        stamp.place(&mut self.scratch, key_stamp_at.map(|at| at + SHARD_BYTES));
        let key = Slice::from(self.scratch.as_slice());
        self.bytes += key.len() + value.as_ref().map_or(0, |value| value.len());
        let Some(places) = self.places.get_mut(usize::from(space.number)) else {
            return;
        };
        let next = self.entries.len();
        let place = *places.entry(key.clone()).or_insert(next);
        match self.entries.get_mut(place) {
            Some(earlier) => earlier.value = value,
            None => self.entries.push(MergedEntry { space, key, value }),
        }
    }
}

fn tree_key(scratch: &mut Vec<u8>, shard: Shard, key: &[u8]) {
    scratch.clear();
    scratch.extend_from_slice(&shard.0.to_be_bytes());
    scratch.extend_from_slice(key);
}

fn stamped_value(
    scratch: &mut Vec<u8>,
    value: &[u8],
    stamp_at: Option<usize>,
    stamp: Stamp,
) -> Slice {
    if stamp_at.is_none() {
        return Slice::from(value);
    }
    scratch.clear();
    scratch.extend_from_slice(value);
    stamp.place(scratch, stamp_at);
    Slice::from(scratch.as_slice())
}
