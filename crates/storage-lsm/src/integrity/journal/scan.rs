//! One journal file, read from its start to the last batch that can be read.
//!
//! Owns the rules inside a file: batches follow each other without a gap in their numbers, and their sequence numbers
//! rise. Does not own what the rest of the file means: see `check`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use storage::{Shard, Stamp};

use super::record::{JournalBatch, TRAILER, read_batch};

/// The tree also takes sequence numbers for new versions of a keyspace. So many between two batches are a damaged
/// number.
const SEQUENCE_GAP_MAX: u64 = 1 << 24;
const CHUNK_BYTES: usize = 64 * 1024;

/// What a journal holds.
#[derive(Debug)]
pub(super) struct JournalScan {
    pub(super) path: PathBuf,
    /// Length of the part that can be read.
    pub(super) valid_bytes: u64,
    /// Whether anything but zeros follows. The tree creates a journal with 64 MiB of zeros.
    pub(super) has_tail: bool,
    pub(super) batches: u64,
    /// The first and the last batch.
    pub(super) first: Option<JournalBatch>,
    pub(super) last: Option<JournalBatch>,
    /// The newest stamp of each shard in the readable part.
    pub(super) stamps: HashMap<Shard, Stamp>,
    /// Why two batches cannot follow each other.
    pub(super) gap: Option<String>,
}

impl JournalScan {
    /// Reads up to the first batch that cannot be read, or whose number is greater than `last_batch`.
    pub(super) fn read(
        path: &Path,
        stamps_keyspace: Option<u64>,
        last_batch: Option<u64>,
    ) -> io::Result<Self> {
        let mut scan = Self {
            path: path.to_owned(),
            valid_bytes: 0,
            has_tail: false,
            batches: 0,
            first: None,
            last: None,
            stamps: HashMap::new(),
            gap: None,
        };
        let mut file = BufReader::with_capacity(CHUNK_BYTES, File::open(path)?);
        while let Some(batch) = read_batch(&mut file, stamps_keyspace)? {
            let number = batch.mark.map_or(0, |mark| mark.number);
            if last_batch.is_some_and(|last| number > last) {
                break;
            }
            scan.push(batch);
        }
        let mut file = file.into_inner();
        scan.has_tail = holds_data_from(&mut file, scan.valid_bytes)?;
        Ok(scan)
    }

    fn push(&mut self, batch: JournalBatch) {
        self.valid_bytes += batch.bytes;
        self.batches += 1;
        for (shard, stamp) in &batch.stamps {
            let newest = self.stamps.entry(*shard).or_insert(*stamp);
            *newest = (*newest).max(*stamp);
        }
        let gap = self.last.as_ref().and_then(|last| follows(last, &batch).err());
        self.gap = self.gap.take().or(gap).or_else(|| sequence_number_holds(&batch).err());
        self.first.get_or_insert_with(|| batch.clone());
        self.last = Some(batch);
    }

    /// Batches that can be read behind the readable part: what a torn batch or damage separates from it.
    pub(super) fn batches_in_tail(
        &self,
        stamps_keyspace: Option<u64>,
    ) -> io::Result<Vec<JournalBatch>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.valid_bytes))?;
        let mut tail = Vec::new();
        file.read_to_end(&mut tail)?;
        let mut found = Vec::new();
        // Every batch ends with the trailer, so the next one begins behind it. The same bytes inside a value are not
        // followed by a batch whose checksum holds.
        for (at, bytes) in tail.windows(TRAILER.len()).enumerate() {
            if bytes == TRAILER {
                let mut rest = tail.get(at + TRAILER.len()..).unwrap_or_default();
                found.extend(read_batch(&mut rest, stamps_keyspace)?);
            }
        }
        Ok(found)
    }
}

/// Whether a batch can be the next one after another.
pub(super) fn follows(before: &JournalBatch, batch: &JournalBatch) -> Result<(), String> {
    if batch.sequence_number <= before.sequence_number {
        return Err(format!(
            "the sequence number {} follows {}",
            batch.sequence_number, before.sequence_number
        ));
    }
    match (before.mark, batch.mark) {
        (Some(before), Some(mark)) if mark.number != before.number + 1 => {
            Err(format!("batch {} follows batch {}", mark.number, before.number))
        }
        (_, Some(mark)) if mark.bound <= before.sequence_number => Err(format!(
            "batch {} was written before sequence number {}",
            mark.number, before.sequence_number
        )),
        _ => Ok(()),
    }
}

fn sequence_number_holds(batch: &JournalBatch) -> Result<(), String> {
    let Some(mark) = batch.mark else { return Ok(()) };
    let above = batch.sequence_number.checked_sub(mark.bound);
    if above.is_some_and(|above| above < SEQUENCE_GAP_MAX) {
        return Ok(());
    }
    Err(format!("batch {} has the sequence number {}", mark.number, batch.sequence_number))
}

/// Whether the file holds anything but zeros from this place on.
fn holds_data_from(file: &mut File, from: u64) -> io::Result<bool> {
    file.seek(SeekFrom::Start(from))?;
    let (mut buffer, zeros) = (vec![0; CHUNK_BYTES], vec![0; CHUNK_BYTES]);
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(false);
        }
        if buffer.get(..count) != zeros.get(..count) {
            return Ok(true);
        }
    }
}
