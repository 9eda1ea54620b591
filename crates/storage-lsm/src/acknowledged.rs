//! The side file of acknowledged stamps: how we notice that the tree came back with less than we promised.
//!
//! Owns one slot per shard with the newest stamp that was acknowledged as durable. Does not own the stamps themselves:
//! they live in the tree. The tree takes a torn record in the middle of its journal for the end and drops what follows;
//! a slot greater than the recovered stamp shows it. A slot is written after the sync it speaks of, so it can be too
//! old after a power cut but never too new.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use storage::{Result, Shard, Stamp};

use crate::failure::{cannot_open, cannot_open_file};

/// Name of the side file.
pub(crate) const ACKNOWLEDGED: &str = "acknowledged";

/// Shard, stamp, checksum and padding; a divisor of every sector size, so a slot is never written in two pieces.
const SLOT_BYTES: usize = 32;

/// How many recorded batches may pass between two syncs of the side file.
const BATCHES_PER_SYNC: u32 = 64;

/// The open side file.
#[derive(Debug)]
pub(crate) struct Acknowledged {
    file: File,
    slots: HashMap<Shard, u64>,
    slots_used: u64,
    batches_unsynced: u32,
}

impl Acknowledged {
    /// Opens or creates the file and returns what it promises.
    pub(crate) fn open(folder: &Path) -> Result<(Self, Vec<(Shard, Stamp)>)> {
        let path = folder.join(ACKNOWLEDGED);
        Self::read(&path).map_err(|error| cannot_open_file(&path, error))
    }

    fn read(path: &PathBuf) -> io::Result<(Self, Vec<(Shard, Stamp)>)> {
        let mut file =
            File::options().create(true).truncate(false).read(true).write(true).open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let mut slots = HashMap::new();
        let mut promised = Vec::new();
        let mut slots_used = 0;
        for slot in bytes.chunks(SLOT_BYTES) {
            // A slot that fails its checksum promises nothing; its place is not used again.
            if let Some((shard, stamp)) = decode(slot) {
                slots.insert(shard, slots_used);
                promised.push((shard, stamp));
            }
            slots_used += 1;
        }
        Ok((Self { file, slots, slots_used, batches_unsynced: 0 }, promised))
    }

    /// Records the newest durable stamps of the shards of one batch.
    pub(crate) fn record(
        &mut self,
        stamps: impl Iterator<Item = (Shard, Stamp)>,
    ) -> io::Result<()> {
        for (shard, stamp) in stamps {
            let slot = *self.slots.entry(shard).or_insert_with(|| {
                self.slots_used += 1;
                self.slots_used - 1
            });
            self.file.seek(SeekFrom::Start(slot * SLOT_BYTES as u64))?;
            self.file.write_all(&encode(shard, stamp))?;
        }
        self.batches_unsynced += 1;
        if self.batches_unsynced >= BATCHES_PER_SYNC { self.sync() } else { Ok(()) }
    }

    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.batches_unsynced = 0;
        self.file.sync_data()
    }
}

/// Refuses a folder whose tree holds less than was acknowledged.
pub(crate) fn verify(
    folder: &Path,
    promised: &[(Shard, Stamp)],
    recovered: impl Fn(Shard) -> Stamp,
) -> Result<()> {
    for (shard, stamp) in promised {
        let found = recovered(*shard);
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
                    folder.join(ACKNOWLEDGED).display()
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
    for (place, byte) in slot.iter_mut().zip(fields) {
        *place = byte;
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

/// FNV-1a over both numbers: enough against torn and zeroed slots.
fn checksum(shard: Shard, stamp: Stamp) -> u64 {
    let bytes = shard.0.to_be_bytes().into_iter().chain(stamp.0.to_be_bytes());
    bytes.fold(0xCBF2_9CE4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}
