//! The side file of durable stamps, which detects that the tree has lost acknowledged writes.
//!
//! Owns one slot per shard with the newest stamp that is known to be on disk. Does not own the stamps themselves: they
//! are in the tree. When the tree recovers, it takes a torn record in the middle of its journal for the end of the
//! journal and drops what follows. Then the stamp it comes back with is smaller than the slot, and opening is refused.
//!
//! A slot is written after the sync it reports. So after a power cut it may be older than the tree, never newer, and a
//! torn or missing slot can only hide a loss, never invent one.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use storage::{Result, Shard, Stamp};

use crate::checksum::fnv1a;
use crate::error::{cannot_open, cannot_open_file};

/// Name of the side file.
const FILE_NAME: &str = "acknowledged";

/// Shard (4), stamp (8), checksum (8) and padding. 32 divides every sector size, so a slot never spans two sectors and
/// is never half written.
const SLOT_BYTES: usize = 32;

/// Batches between two syncs of the side file. After a power cut it may lag this far behind, which only shortens the
/// part of the journal it vouches for.
const BATCHES_PER_SYNC: u32 = 64;

/// The open side file.
#[derive(Debug)]
pub(crate) struct DurableStampFile {
    file: File,
    /// The index and the content of each shard's slot.
    slots: HashMap<Shard, (u64, Stamp)>,
    slots_used: u64,
    batches_unsynced: u32,
}

impl DurableStampFile {
    /// Opens or creates the file and returns the stamps it holds.
    pub(crate) fn open(folder: &Path) -> Result<(Self, Vec<(Shard, Stamp)>)> {
        let path = folder.join(FILE_NAME);
        Self::read(&path).map_err(|error| cannot_open_file(&path, error))
    }

    fn read(path: &PathBuf) -> io::Result<(Self, Vec<(Shard, Stamp)>)> {
        let mut file =
            File::options().create(true).truncate(false).read(true).write(true).open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let mut slots = HashMap::new();
        let mut stamps = Vec::new();
        let mut slots_used = 0;
        // A last chunk that is shorter was torn by a power cut and fails to decode.
        for slot in bytes.chunks(SLOT_BYTES) {
            // A slot that fails its checksum counts as absent. It is not reused: its shard gets a new slot.
            if let Some((shard, stamp)) = decode(slot) {
                slots.insert(shard, (slots_used, stamp));
                stamps.push((shard, stamp));
            }
            slots_used += 1;
        }
        Ok((Self { file, slots, slots_used, batches_unsynced: 0 }, stamps))
    }

    /// Records the newest durable stamps of the shards of one batch.
    pub(crate) fn record(
        &mut self,
        stamps: impl Iterator<Item = (Shard, Stamp)>,
    ) -> io::Result<()> {
        for (shard, stamp) in stamps {
            let (slot, recorded) = self.slots.entry(shard).or_insert_with(|| {
                self.slots_used += 1;
                (self.slots_used - 1, Stamp::ZERO)
            });
            self.file.seek(SeekFrom::Start(*slot * SLOT_BYTES as u64))?;
            // In place, without a sync: the file only has to be older than the tree, never newer.
            self.file.write_all(&encode(shard, stamp))?;
            *recorded = stamp;
        }
        self.batches_unsynced += 1;
        if self.batches_unsynced >= BATCHES_PER_SYNC { self.sync() } else { Ok(()) }
    }

    /// Records stamps that are all durable, and syncs them; those that are recorded already cost nothing.
    pub(crate) fn record_all(
        &mut self,
        stamps: impl Iterator<Item = (Shard, Stamp)>,
    ) -> io::Result<()> {
        let new = stamps.filter(|(shard, stamp)| {
            self.slots.get(shard).is_none_or(|(_, recorded)| recorded != stamp)
        });
        let new: Vec<_> = new.collect();
        if new.is_empty() {
            return Ok(());
        }
        self.record(new.into_iter())?;
        self.sync()
    }

    /// The newest durable stamp of each shard.
    pub(crate) fn stamps(&self) -> Vec<(Shard, Stamp)> {
        self.slots.iter().map(|(shard, (_, stamp))| (*shard, *stamp)).collect()
    }

    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.batches_unsynced = 0;
        self.file.sync_data()
    }
}

/// Refuses a folder whose tree holds fewer commits than the side file.
pub(crate) fn verify(
    folder: &Path,
    durable: &[(Shard, Stamp)],
    recovered: impl Fn(Shard) -> Stamp,
) -> Result<()> {
    for (shard, stamp) in durable {
        let found = recovered(*shard);
        // The tree may be ahead: the slot is written after the sync and may have been lost.
        if *stamp > found {
            return Err(cannot_open(
                folder,
                &format!(
                    "acknowledged writes are missing: shard {} was acknowledged up to stamp {}, \
                     but its files end at stamp {}; restore the folder from a backup, or, to accept \
                     the loss of these writes for good, move the file {} away and open again",
                    shard.0,
                    stamp.0,
                    found.0,
                    folder.join(FILE_NAME).display()
                ),
            ));
        }
    }
    Ok(())
}

fn encode(shard: Shard, stamp: Stamp) -> [u8; SLOT_BYTES] {
    let mut slot = [0; SLOT_BYTES];
    let fields = [
        shard.0.to_be_bytes().as_slice(),
        &stamp.0.to_be_bytes(),
        &checksum(shard, stamp).to_be_bytes(),
    ]
    .concat();
    for (target, byte) in slot.iter_mut().zip(fields) {
        *target = byte;
    }
    slot
}

fn decode(slot: &[u8]) -> Option<(Shard, Stamp)> {
    let (shard, rest) = slot.split_first_chunk()?;
    let (stamp, rest) = rest.split_first_chunk()?;
    let (sum, _) = rest.split_first_chunk()?;
    let (shard, stamp) = (Shard(u32::from_be_bytes(*shard)), Stamp(u64::from_be_bytes(*stamp)));
    (u64::from_be_bytes(*sum) == checksum(shard, stamp)).then_some((shard, stamp))
}

fn checksum(shard: Shard, stamp: Stamp) -> u64 {
    fnv1a(shard.0.to_be_bytes().into_iter().chain(stamp.0.to_be_bytes()))
}

/// For fuzzing: a slot is refused, or encoded again gives the same bytes.
#[cfg(any(test, fuzzing))]
pub(crate) fn check_slots(bytes: &[u8]) {
    for slot in bytes.chunks_exact(SLOT_BYTES) {
        if let Some((shard, stamp)) = decode(slot) {
            assert_eq!(decode(&encode(shard, stamp)), Some((shard, stamp)));
        }
    }
}
