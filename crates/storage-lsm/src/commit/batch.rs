//! Several groups merged into one batch of the tree.
//!
//! Owns the order inside a batch: groups are checked and stamped one after another, each seeing those before it, and
//! the last write to a key wins. The tree gives all entries of a batch one sequence number, so a key must not appear
//! twice. Does not own writing the batch: see `committer`.

use std::sync::Arc;

use fjall::{OwnedWriteBatch, PersistMode, Slice};
use foldhash::HashMap;
use storage::{Error, GuardedKey, LastStamps, Result, Shard, Space, Stamp, Write, WriteSet};

use crate::error::read_failed;
use crate::keyspaces::{KEY_BYTES_MAX, Keyspaces, SHARD_BYTES};
use crate::read_cache::{BatchInvalidation, ReadCache};
use crate::run_buffer::{PendingRun, RunBuilder, encode_run};
use crate::stamp_entry::{BatchMark, StampEntry};

// A batch ends at whichever bound it reaches first; what is left in the queue goes into the next batch.
const GROUPS_MAX: usize = 512;
const BYTES_MAX: usize = 4 * 1024 * 1024;

/// Records of runs that a batch removes at most, so that none takes long.
const REMOVED_RECORDS_MAX: usize = 16;

/// Collects the next batch. Reused from batch to batch for its allocations.
#[derive(Default)]
pub(crate) struct BatchBuilder {
    /// In the order of the writes; a key may occur several times, and its last entry counts.
    entries: Vec<BatchEntry>,
    /// The writes to the buffered space.
    run: RunBuilder,
    buffered: Option<Space>,
    /// By the number of the space: the index of the last entry of each key, for the spaces that a guard has asked
    /// about. Nearly all entries are index terms, which nobody guards, so that hashing them would be for nothing.
    positions: Vec<Option<HashMap<Slice, usize>>>,
    stamps: HashMap<Shard, Stamp>,
    groups: usize,
    bytes: usize,
    scratch: Vec<u8>,
}

struct BatchEntry {
    space: Space,
    key: Slice,
    /// `None` removes the key.
    value: Option<Slice>,
}

impl BatchBuilder {
    /// An empty batch of a store with these spaces.
    pub(crate) fn new(spaces: &[Space]) -> Self {
        let buffered = spaces.iter().copied().find(|space| space.buffered);
        Self { buffered, ..Self::default() }
    }

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
        keyspaces: &Keyspaces,
        published: &LastStamps,
        shard: Shard,
        group: &[WriteSet],
    ) -> Result<Vec<Stamp>> {
        for set in group {
            // The whole group is validated before anything is merged: a refusal must leave the batch as it was.
            set.validate(shard)?;
            self.validate_sizes(keyspaces, set)?;
        }
        // All guards before the first write: they apply to the state before the group.
        for set in group {
            self.check_guards(keyspaces, shard, set)?;
        }
        // An earlier group of this batch may have used stamps that are not published yet.
        let mut last = match self.stamps.get(&shard) {
            Some(stamp) => *stamp,
            None => published.last(shard),
        };
        let mut stamps = Vec::with_capacity(group.len());
        for set in group {
            last = set.stamp_after(last)?;
            stamps.push(last);
        }
        // From here on nothing can fail: a group is merged completely or not at all.
        for (set, stamp) in group.iter().zip(&stamps) {
            for write in &set.writes {
                self.write(shard, write, *stamp);
            }
        }
        if !group.is_empty() {
            // An empty group has no stamp and writes none.
            self.stamps.insert(shard, last);
            self.groups += 1;
        }
        Ok(stamps)
    }

    /// Moves everything into a batch of the tree, and removes what it changes from the read cache. Afterwards the old
    /// values can be read only from the tree.
    pub(crate) fn build(
        &mut self,
        keyspaces: &Keyspaces,
        read_cache: &ReadCache,
        mode: PersistMode,
        mark: BatchMark,
    ) -> Result<OwnedWriteBatch> {
        let capacity = self.entries.len() + self.stamps.len();
        let batch = OwnedWriteBatch::with_capacity(keyspaces.database().clone(), capacity);
        let mut batch = batch.durability(Some(mode));
        // Neighbouring keys share most of their path through a memtable: in order, that path stays in the CPU cache.
        // The sort is stable: equal keys stay in the order of their writes.
        self.entries.sort_by(|left, right| {
            (left.space.number, &left.key).cmp(&(right.space.number, &right.key))
        });
        // Every key is invalidated here, before the commit: afterwards a reader could still find the old value in the
        // cache.
        let mut invalidation = read_cache.begin_batch();
        let mut entries = self.entries.drain(..).peekable();
        while let Some(entry) = entries.next() {
            let is_overwritten = entries.peek().is_some_and(|next| {
                next.space.number == entry.space.number && next.key == entry.key
            });
            if is_overwritten {
                continue;
            }
            let keyspace = keyspaces.get(entry.space)?;
            invalidation.invalidate(entry.space, &entry.key);
            match entry.value {
                Some(value) => batch.insert(keyspace, entry.key, value),
                None => batch.remove(keyspace, entry.key),
            }
        }
        drop(entries);
        self.build_run(keyspaces, &mut invalidation, &mut batch, mark);
        // In the same batch as the writes: after a crash the stamps match the data.
        for (shard, stamp) in &self.stamps {
            let (key, value) = StampEntry::encode(*shard, *stamp, mark);
            batch.insert(keyspaces.stamps(), key, value);
        }
        Ok(batch)
    }

    /// Adds the writes to the buffered space as one record, and announces them to readers.
    fn build_run(
        &mut self,
        keyspaces: &Keyspaces,
        invalidation: &mut BatchInvalidation<'_>,
        batch: &mut OwnedWriteBatch,
        mark: BatchMark,
    ) {
        for obsolete in keyspaces.buffer().take_obsolete(REMOVED_RECORDS_MAX) {
            batch.remove(keyspaces.runs(), obsolete.to_be_bytes());
        }
        let (Some(space), Some(shard)) = (self.buffered, self.stamps.keys().next()) else { return };
        if self.run.is_empty() {
            return;
        }
        let run = self.run.finish(mark.number);
        for index in 0..run.len() {
            invalidation.invalidate(space, run.key(index));
        }
        batch.insert(keyspaces.runs(), mark.number.to_be_bytes(), encode_run(space.number, &run));
        let pending = PendingRun { run: Arc::new(run), bound: mark.bound, shard: *shard };
        keyspaces.buffer().announce(pending);
    }

    /// Empties the builder for the next batch.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.run.clear();
        // Cleared, not dropped: the maps keep their capacity, which the next batch needs again.
        self.positions.iter_mut().flatten().for_each(HashMap::clear);
        self.stamps.clear();
        self.groups = 0;
        self.bytes = 0;
    }

    fn validate_sizes(&mut self, keyspaces: &Keyspaces, set: &WriteSet) -> Result<()> {
        let written = set.writes.iter().map(|write| match write {
            Write::Put { space, key, value, .. } => (*space, key, value.len()),
            Write::Remove { space, key } => (*space, key, 0),
        });
        let guarded = set.guards.iter().map(|guarded| (guarded.space, &guarded.key, 0));
        for (space, key, value_bytes) in written.chain(guarded) {
            keyspaces.get(space)?;
            let spaces = usize::from(space.number) + 1;
            if self.positions.len() < spaces {
                self.positions.resize_with(spaces, || None);
            }
            if key.len() > KEY_BYTES_MAX {
                return Err(Error::invalid(format!(
                    "a key of {} bytes in space {} is longer than {KEY_BYTES_MAX}",
                    key.len(),
                    space.name
                )));
            }
            if u32::try_from(value_bytes).is_err() {
                return Err(Error::invalid(format!(
                    "a value of {value_bytes} bytes in space {} is longer than {}",
                    space.name,
                    u32::MAX
                )));
            }
        }
        Ok(())
    }

    fn check_guards(&mut self, keyspaces: &Keyspaces, shard: Shard, set: &WriteSet) -> Result<()> {
        for guarded in &set.guards {
            write_tree_key(&mut self.scratch, shard, &guarded.key);
            if keyspaces.is_buffered(guarded.space) {
                self.check_buffered_guard(keyspaces, shard, guarded)?;
                continue;
            }
            // An earlier group of this batch may have written the key; the tree does not have that yet.
            let holds = match self.last_entry(guarded.space) {
                Some(entry) => guarded.holds(entry.value.as_deref()),
                None => {
                    // The committer is the only writer, so this reads the state before the batch, without a snapshot.
                    let stored = keyspaces.get(guarded.space)?.get(&self.scratch);
                    let stored = stored.map_err(|error| read_failed(keyspaces.path(), error))?;
                    guarded.holds(stored.as_deref())
                }
            };
            if !holds {
                return Err(Error::guard_failed(shard, guarded.space, guarded.key.clone()));
            }
        }
        Ok(())
    }

    /// Checks a guard of the key in `scratch`: in this batch, in the runs, in the tree.
    fn check_buffered_guard(
        &self,
        keyspaces: &Keyspaces,
        shard: Shard,
        guarded: &GuardedKey,
    ) -> Result<()> {
        let holds = if let Some(written) = self.run.last(&self.scratch) {
            guarded.holds(written)
        } else if let Some(recent) = keyspaces.buffer().get_settled(&self.scratch) {
            guarded.holds(recent.as_deref())
        } else {
            let stored = keyspaces.get(guarded.space)?.get(&self.scratch);
            let stored = stored.map_err(|error| read_failed(keyspaces.path(), error))?;
            guarded.holds(stored.as_deref())
        };
        if holds {
            return Ok(());
        }
        Err(Error::guard_failed(shard, guarded.space, guarded.key.clone()))
    }

    fn write(&mut self, shard: Shard, write: &Write, stamp: Stamp) {
        if let Some(buffered) = self.buffered
            && buffered.number == write.space().number
        {
            self.write_buffered(shard, write, stamp);
            return;
        }
        let (space, key, key_stamp_at, value) = match write {
            Write::Put { space, key, value, key_stamp_at, value_stamp_at } => {
                let value = stamped_value(&mut self.scratch, value, *value_stamp_at, stamp);
                (*space, key, *key_stamp_at, Some(value))
            }
            Write::Remove { space, key } => (*space, key, None, None),
        };
        write_tree_key(&mut self.scratch, shard, key);
        // Offsets are those of the caller's key, which begins behind the shard.
        stamp.write_at(&mut self.scratch, key_stamp_at.map(|at| at + SHARD_BYTES));
        let key = Slice::from(self.scratch.as_slice());
        self.bytes += key.len() + value.as_ref().map_or(0, |value| value.len());
        if let Some(Some(positions)) = self.positions.get_mut(usize::from(space.number)) {
            positions.insert(key.clone(), self.entries.len());
        }
        self.entries.push(BatchEntry { space, key, value });
    }

    fn write_buffered(&mut self, shard: Shard, write: &Write, stamp: Stamp) {
        let value = match write {
            Write::Put { key, value, key_stamp_at, value_stamp_at, .. } => {
                write_tree_key(&mut self.scratch, shard, key);
                stamp.write_at(&mut self.scratch, key_stamp_at.map(|at| at + SHARD_BYTES));
                match value_stamp_at {
                    None => {
                        self.bytes += self.scratch.len() + value.len();
                        return self.run.push(&self.scratch, Some(value));
                    }
                    Some(_) => {
                        let mut value = value.to_vec();
                        stamp.write_at(&mut value, *value_stamp_at);
                        Some(value)
                    }
                }
            }
            Write::Remove { key, .. } => {
                write_tree_key(&mut self.scratch, shard, key);
                None
            }
        };
        self.bytes += self.scratch.len() + value.as_ref().map_or(0, Vec::len);
        self.run.push(&self.scratch, value.as_deref());
    }

    /// The last entry of the key in `scratch`.
    fn last_entry(&mut self, space: Space) -> Option<&BatchEntry> {
        let entries = &self.entries;
        // `validate_sizes` has made a place for every space of the set.
        let positions = self.positions.get_mut(usize::from(space.number))?;
        let positions = positions.get_or_insert_with(|| {
            let written =
                entries.iter().enumerate().filter(|(_, entry)| entry.space.number == space.number);
            // Of equal keys, the last one stays in the map.
            written.map(|(index, entry)| (entry.key.clone(), index)).collect()
        });
        positions.get(self.scratch.as_slice()).and_then(|position| entries.get(*position))
    }
}

fn write_tree_key(scratch: &mut Vec<u8>, shard: Shard, key: &[u8]) {
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
    stamp.write_at(scratch, stamp_at);
    Slice::from(scratch.as_slice())
}
