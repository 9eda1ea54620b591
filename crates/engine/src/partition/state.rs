//! Counters and cursors of one physical partition, kept in one record.
//!
//! Owns the record. Every group of writes carries it, so that counters are as durable as the items they count. Does
//! not own the lsn: the store stamps commits.

use model::{Lsn, TimestampSeconds};
use storage::StorageKey;

use super::trimmed_versions::TrimmedVersions;
use crate::error::{Error, Result};
use crate::key_layout::ChangePosition;

/// What a physical partition remembers beside its items.
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
    /// Second of the newest write; a timestamp never goes back inside a partition.
    pub(crate) timestamp_seconds: u64,
    /// Indexing policy all terms follow, but for the items a rebuild has passed.
    pub(crate) index_generation: u32,
    /// A rebuild under way.
    pub(crate) rebuild: Option<Rebuild>,
    /// Up to here in the change log, every item that inherits the default time to live is reclaimed.
    pub(crate) expiry_after: Lsn,
    /// Before this second, every item with a time to live of its own is reclaimed.
    pub(crate) expiry_from_second: u64,
    /// Which versions are gone.
    pub(crate) trimmed: TrimmedVersions,
    /// After a merge, changes up to here are in the order of their lsn but not of their time.
    pub(crate) interleaved: Lsn,
    /// Where the trimming of versions goes on.
    pub(crate) trim_after: ChangePosition,
    /// What trimming knows of the versions it leaves; not stored, a new writer walks them once to know it again.
    pub(crate) trim_pass: TrimPass,
}

/// The walk over all versions, of which only those that ended long ago are trimmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TrimPass {
    /// No version ended before this second: until it is beyond the retention there is nothing to look for.
    pub(crate) ended_from: u64,
    /// The earliest end among the versions that the round under way has left, or its own beginning.
    pub(crate) earliest_left: u64,
}

/// How far the terms have been rebuilt for another indexing policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rebuild {
    /// The policy to arrive at.
    pub(crate) generation: u32,
    /// Items up to this key follow the new policy.
    pub(crate) through: StorageKey,
    /// Items passed.
    pub(crate) items_done: u64,
}

const STATE_VERSION: u8 = 2;
/// Without the marks of [`TrimmedVersions`] but for its lsn.
const STATE_VERSION_OLD: u8 = 1;

impl PartitionState {
    /// Where the lsn of `trimmed` stands: a commit that keeps no versions writes its stamp there.
    pub(crate) const TRIMMED_AT: usize = 1 + 7 * 8;

    /// The ordinal of an item created next: the number of the partition, then a counter, so that it grows with
    /// creation inside a partition, also after a split or merge, and never repeats inside a container.
    pub(crate) fn next_ordinal(&mut self, partition: u32) -> u64 {
        self.created += 1;
        (u64::from(partition) << 40) | self.created
    }

    /// Which generation of the indexing policy the terms of an item follow.
    pub(crate) fn generation_at(&self, item_key: &[u8]) -> u32 {
        match &self.rebuild {
            Some(rebuild) if item_key <= rebuild.through.as_ref() => rebuild.generation,
            _ => self.index_generation,
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
    if version != STATE_VERSION && version != STATE_VERSION_OLD {
        return None;
    }
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
        STATE_VERSION => TrimmedVersions::decode_rest(Lsn(lsn), rest)?,
        _ => (TrimmedVersions::without_second(Lsn(lsn), TimestampSeconds(timestamp)), rest),
    };
    state.trimmed = trimmed;
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
