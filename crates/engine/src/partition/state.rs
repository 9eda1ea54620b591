//! The state of one physical partition: counters and cursors, in one stored record.
//!
//! Every group of writes contains it, so that counters are as durable as the items they count, and so that one guard on
//! it detects another writer. Does not own the lsn: the store stamps commits.
//!
//! ```text
//! version 1 | created, writes, items, item bytes, timestamp, expiry lsn, expiry second, trimmed lsn, interleaved lsn
//! (8 each) | index generation 4 | trim cursor 18 | trimmed versions | length 2 and key after which items are not
//! listed (FF FF: all are) | rebuild, if any: generation 4, items 8, key
//! ```

use model::{Lsn, TimestampSeconds};
use storage::StorageKey;

use super::trimmed_versions::TrimmedVersions;
use crate::error::{Error, Result};
use crate::key_layout::ChangePosition;

/// What a physical partition stores besides its items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PartitionState {
    /// Items created here so far; the next ordinal follows from it.
    pub(crate) created: u64,
    /// Writes so far; makes every etag new.
    pub(crate) writes: u64,
    /// Items now stored, expired ones included until they are reclaimed.
    pub(crate) items: u64,
    /// Bytes of their JSON text.
    pub(crate) item_bytes: u64,
    /// Second of the newest write; a timestamp never goes back inside a partition, except by [`Self::correct_clock`].
    pub(crate) timestamp_seconds: u64,
    /// Generation of the indexing policy that all terms follow, except those of items that a rebuild has passed.
    pub(crate) index_generation: u32,
    /// The rebuild in progress.
    pub(crate) rebuild: Option<Rebuild>,
    /// Items after this key are not listed in the order of creation yet; `None` if all are.
    pub(crate) unlisted_after: Option<StorageKey>,
    /// Up to this lsn of the change log, expired items that inherit the default time to live are removed.
    pub(crate) expiry_after: Lsn,
    /// Before this second, expired items with a time to live of their own are removed.
    pub(crate) expiry_from_second: u64,
    /// Which versions are missing.
    pub(crate) trimmed: TrimmedVersions,
    /// After a merge, and after a clock was set back, changes up to this lsn are ordered by lsn but not by time.
    pub(crate) interleaved: Lsn,
    /// Where the trimming of versions continues.
    pub(crate) trim_after: ChangePosition,
    /// What trimming knows of the versions it has left. Not stored: a new writer reads all versions once to know it.
    pub(crate) trim_pass: TrimPass,
}

/// A pass over all versions, of which only those that ended before the retention are trimmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TrimPass {
    /// No version ended before this second. Until it is past the retention, there is nothing to trim.
    pub(crate) ended_from: u64,
    /// The earliest end among the versions that the current pass has left, or the second of its start.
    pub(crate) earliest_left: u64,
}

/// Progress of an index rebuild.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rebuild {
    /// Generation of the new policy.
    pub(crate) generation: u32,
    /// Items up to this key follow the new policy.
    pub(crate) through: StorageKey,
    /// Items passed.
    pub(crate) items_done: u64,
}

/// Which entries an item has besides those that follow from its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryLayout {
    /// Generation of the indexing policy that its terms follow.
    pub(crate) generation: u32,
    /// Whether it is listed in the order of creation.
    pub(crate) is_listed: bool,
}

const STATE_VERSION: u8 = 3;
/// Does not say which items are listed in the order of creation: none are.
const STATE_VERSION_UNLISTED: u8 = 2;
/// In addition, contains only the lsn of [`TrimmedVersions`].
const STATE_VERSION_OLD: u8 = 1;

/// In place of the length of a key: all items are listed. No key is that long.
const ALL_LISTED: u16 = u16::MAX;

/// How far the newest timestamp of a partition may be ahead of the clock. Within it the clock was adjusted, and
/// timestamps wait for it to catch up. Beyond it the clock was wrong when they were made, and waiting could take years.
pub(crate) const CLOCK_LEAD_MAX_SECONDS: u64 = 60;

impl PartitionState {
    /// Follows a clock that was set back: without this, every write until the clock catches up would carry the second
    /// of the write that was made while it was ahead. `newest` is at or after the lsn of every write so far.
    pub(crate) fn correct_clock(&mut self, now: TimestampSeconds, newest: Lsn) {
        if self.timestamp_seconds <= now.0.saturating_add(CLOCK_LEAD_MAX_SECONDS) {
            return;
        }
        self.timestamp_seconds = now.0;
        // What is searched by time must not rely on the order of the changes made so far.
        self.interleaved = self.interleaved.max(newest);
        // The sweep may have gone ahead with the clock, over seconds at which items written from now on will expire.
        self.expiry_from_second = self.expiry_from_second.min(now.0);
        self.trim_pass = TrimPass::default();
    }

    /// Offset of the lsn of `trimmed`: a commit that keeps no versions writes its stamp there.
    // After the version byte come seven numbers of 8 bytes; the trimmed lsn is the eighth. `encode` must keep that
    // order.
    pub(crate) const TRIMMED_AT: usize = 1 + 7 * 8;

    /// The ordinal of the next created item: partition number in the upper 24 bits, counter in the lower 40. Partition
    /// numbers are never reused, so that an ordinal is unique in its container and grows with creation in a partition,
    /// also after a split or merge.
    pub(crate) fn next_ordinal(&mut self, partition: u32) -> u64 {
        self.created += 1;
        // 2^40 creations per partition number; a split or merge begins new numbers.
        (u64::from(partition) << 40) | self.created
    }

    /// Which generation of the indexing policy the terms of an item follow.
    pub(crate) fn generation_at(&self, item_key: &[u8]) -> u32 {
        match &self.rebuild {
            // Writer, verifier and queries must agree on this border: a write behind the cursor already follows the
            // new policy, so the rebuild does not visit it again; a write ahead of it follows the old one, so that its
            // old terms can be found.
            Some(rebuild) if item_key <= rebuild.through.as_ref() => rebuild.generation,
            _ => self.index_generation,
        }
    }

    /// Whether an item is listed in the order of creation.
    pub(crate) fn is_listed(&self, item_key: &[u8]) -> bool {
        // The same border for writer, verifier and the step that lists items, as in `generation_at`.
        self.unlisted_after.as_ref().is_none_or(|after| item_key <= after.as_ref())
    }

    /// Which entries an item has.
    pub(crate) fn layout_at(&self, item_key: &[u8]) -> EntryLayout {
        EntryLayout {
            generation: self.generation_at(item_key),
            is_listed: self.is_listed(item_key),
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![STATE_VERSION];
        for number in [
            self.created,
            self.writes,
            self.items,
            self.item_bytes,
            self.timestamp_seconds,
            self.expiry_after.0,
            self.expiry_from_second,
            self.trimmed.lsn.0,
            self.interleaved.0,
        ] {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        bytes.extend_from_slice(&self.index_generation.to_be_bytes());
        bytes.extend_from_slice(&self.trim_after.key());
        self.trimmed.encode_rest(&mut bytes);
        match &self.unlisted_after {
            Some(after) => {
                let length = u16::try_from(after.len()).unwrap_or(ALL_LISTED - 1);
                bytes.extend_from_slice(&length.to_be_bytes());
                bytes.extend_from_slice(after);
            }
            None => bytes.extend_from_slice(&ALL_LISTED.to_be_bytes()),
        }
        // The key of the rebuild comes last, because it is the only part without a length: it takes what is left.
        if let Some(rebuild) = &self.rebuild {
            bytes.extend_from_slice(&rebuild.generation.to_be_bytes());
            bytes.extend_from_slice(&rebuild.items_done.to_be_bytes());
            bytes.extend_from_slice(&rebuild.through);
        }
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        decode(bytes).ok_or_else(|| Error::corrupt("the state of a physical partition is damaged"))
    }
}

fn decode(bytes: &[u8]) -> Option<PartitionState> {
    let (&version, rest) = bytes.split_first()?;
    if ![STATE_VERSION, STATE_VERSION_UNLISTED, STATE_VERSION_OLD].contains(&version) {
        return None;
    }
    // Nine numbers of 8 bytes; `as_chunks` leaves no remainder.
    let (numbers, rest) = rest.split_first_chunk::<72>()?;
    let (words, _) = numbers.as_chunks::<8>();
    let words: &[[u8; 8]; 9] = words.first_chunk()?;
    let [
        created,
        writes,
        items,
        item_bytes,
        timestamp,
        expiry_after,
        expiry_from,
        lsn,
        interleaved,
    ] = words.map(u64::from_be_bytes);
    let mut state = PartitionState {
        created,
        writes,
        items,
        item_bytes,
        timestamp_seconds: timestamp,
        expiry_after: Lsn(expiry_after),
        expiry_from_second: expiry_from,
        interleaved: Lsn(interleaved),
        ..PartitionState::default()
    };
    let (&generation, rest) = rest.split_first_chunk::<4>()?;
    state.index_generation = u32::from_be_bytes(generation);
    let (trim_after, rest) = rest.split_at_checked(18)?;
    state.trim_after = ChangePosition::decode(trim_after)?;
    let (trimmed, rest) = match version {
        // A store of the older format is read as it is and written in the new one by its next commit.
        STATE_VERSION_OLD => {
            (TrimmedVersions::without_second(Lsn(lsn), TimestampSeconds(timestamp)), rest)
        }
        _ => TrimmedVersions::decode_rest(Lsn(lsn), rest)?,
    };
    state.trimmed = trimmed;
    let rest = match version {
        STATE_VERSION => {
            let (unlisted_after, rest) = decode_listing(rest)?;
            state.unlisted_after = unlisted_after;
            rest
        }
        _ => {
            // Every key is greater than the empty one.
            state.unlisted_after = Some(StorageKey::new());
            rest
        }
    };
    if !rest.is_empty() {
        let (&generation, rest) = rest.split_first_chunk::<4>()?;
        let (&items_done, through) = rest.split_first_chunk::<8>()?;
        state.rebuild = Some(Rebuild {
            generation: u32::from_be_bytes(generation),
            through: StorageKey::copy_from_slice(through),
            items_done: u64::from_be_bytes(items_done),
        });
    }
    Some(state)
}

/// The key after which items are not listed, and what follows it.
fn decode_listing(bytes: &[u8]) -> Option<(Option<StorageKey>, &[u8])> {
    let (&length, rest) = bytes.split_first_chunk::<2>()?;
    match u16::from_be_bytes(length) {
        ALL_LISTED => Some((None, rest)),
        length => {
            let (key, rest) = rest.split_at_checked(usize::from(length))?;
            Some((Some(StorageKey::copy_from_slice(key)), rest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state as the program wrote it before it knew from which second on nothing is missing.
    fn old_state(trimmed: Lsn, rebuild: &[u8]) -> Vec<u8> {
        let mut bytes = vec![STATE_VERSION_OLD];
        for number in [11, 12, 13, 14, 1_800_000_000, 15, 16, trimmed.0, 17_u64] {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        bytes.extend_from_slice(&3_u32.to_be_bytes());
        bytes.extend_from_slice(&ChangePosition::default().key());
        bytes.extend_from_slice(rebuild);
        bytes
    }

    #[test]
    fn a_state_of_the_older_format_is_read_and_written_in_the_new_one() {
        let rebuild = [4_u32.to_be_bytes().as_slice(), &5_u64.to_be_bytes(), b"through"].concat();
        let state = PartitionState::decode(&old_state(Lsn(9), &rebuild)).unwrap();
        assert_eq!((state.created, state.writes, state.items, state.item_bytes), (11, 12, 13, 14));
        assert_eq!((state.timestamp_seconds, state.index_generation), (1_800_000_000, 3));
        assert_eq!(state.trimmed.lsn, Lsn(9));
        // Nobody knows when the missing versions ended, only that it was by the newest write.
        assert_eq!(state.trimmed.complete_from(), TimestampSeconds(1_800_000_000));
        let rebuild = state.rebuild.as_ref().unwrap();
        assert_eq!((rebuild.generation, rebuild.items_done), (4, 5));
        assert_eq!(rebuild.through, "through");
        // No item of an older store is listed in the order of creation.
        assert_eq!(state.unlisted_after, Some(StorageKey::new()));
        assert!(!state.is_listed(b"a"));
        let again = state.encode();
        assert_eq!(again.first(), Some(&STATE_VERSION));
        let read = PartitionState::decode(&again).unwrap();
        assert_eq!(read.encode(), again);
        assert_eq!(read.trimmed.complete_from(), state.trimmed.complete_from());
        let complete = PartitionState::decode(&old_state(Lsn::ZERO, &[])).unwrap();
        assert_eq!(complete.trimmed.complete_from(), TimestampSeconds(0));
    }

    #[test]
    fn a_state_keeps_how_far_items_are_listed() {
        let through = Some(StorageKey::from_static(b"half"));
        for unlisted_after in [None, Some(StorageKey::new()), through] {
            let rebuild = Rebuild { generation: 1, through: "k".into(), items_done: 2 };
            let rebuild = Some(rebuild);
            let state = PartitionState { unlisted_after, rebuild, ..PartitionState::default() };
            let read = PartitionState::decode(&state.encode()).unwrap();
            assert_eq!(
                (&read.unlisted_after, &read.rebuild),
                (&state.unlisted_after, &state.rebuild)
            );
            let half = state.unlisted_after.as_deref() == Some(b"half");
            assert_eq!(read.is_listed(b"half"), half || state.unlisted_after.is_none());
            assert_eq!(read.is_listed(b"more"), state.unlisted_after.is_none());
        }
    }

    #[test]
    fn a_state_of_a_newer_format_is_refused() {
        let mut bytes = PartitionState::default().encode();
        *bytes.first_mut().unwrap() = STATE_VERSION + 1;
        assert!(PartitionState::decode(&bytes).is_err());
    }
}
