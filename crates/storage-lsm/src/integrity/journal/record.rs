//! One batch of the tree's journal.
//!
//! Owns its bytes:
//!
//! ```text
//! start   1 | items 4 LE | sequence number 8 LE
//! item    2 | kind 1 | compression 1 | keyspace 8 LE | key bytes 2 LE | value bytes 4 LE | stored bytes 4 LE | key |
//!         value
//! clear   4 | keyspace 8 LE
//! end     3 | xxh3-64 of all items 8 LE | "FJL" 3
//! ```
//!
//! Does not own the meaning of a sequence of batches: see `scan`.

use std::io::{self, Read};

use storage::{Shard, Stamp};
use xxhash_rust::xxh3::Xxh3Default;

use crate::stamp_entry::{BatchMark, StampEntry};

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const CLEAR: u8 = 4;
/// The last bytes of every batch.
pub(super) const TRAILER: [u8; 4] = *b"FJL\x03";
/// Keys and values up to this size are read in one piece; larger ones in several.
const CHUNK_BYTES: usize = 64 * 1024;

/// A batch whose checksum holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct JournalBatch {
    pub(super) sequence_number: u64,
    /// Its own number and bound; `None` if it was written by a program that knew neither.
    pub(super) mark: Option<BatchMark>,
    pub(super) stamps: Vec<(Shard, Stamp)>,
    /// Bytes in the journal.
    pub(super) bytes: u64,
}

/// Reads the batch that begins here. `None` if there is no complete and undamaged one, also at the end.
pub(super) fn read_batch(
    from: &mut impl Read,
    stamps_keyspace: Option<u64>,
) -> io::Result<Option<JournalBatch>> {
    let mut reader = BatchReader { from, hasher: Xxh3Default::new(), bytes: 0 };
    match reader.batch(stamps_keyspace) {
        Ok(batch) => Ok(batch),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

struct BatchReader<'from, R> {
    from: &'from mut R,
    hasher: Xxh3Default,
    bytes: u64,
}

impl<R: Read> BatchReader<'_, R> {
    fn batch(&mut self, stamps_keyspace: Option<u64>) -> io::Result<Option<JournalBatch>> {
        if self.array::<1>()? != [START] {
            return Ok(None);
        }
        let mut items_left = u32::from_le_bytes(self.array()?);
        let mut batch = JournalBatch {
            sequence_number: u64::from_le_bytes(self.array()?),
            ..JournalBatch::default()
        };
        // The checksum covers the items and neither the start nor the end.
        self.hasher.reset();
        loop {
            let before = self.hasher.digest();
            match self.array::<1>()? {
                [ITEM] if items_left > 0 => {
                    if !self.item(stamps_keyspace, &mut batch)? {
                        return Ok(None);
                    }
                    items_left -= 1;
                }
                [CLEAR] if items_left > 0 => {
                    self.array::<8>()?;
                    items_left -= 1;
                }
                [END] if items_left == 0 => {
                    let holds = u64::from_le_bytes(self.array()?) == before;
                    let is_whole = self.array()? == TRAILER;
                    batch.bytes = self.bytes;
                    return Ok((holds && is_whole).then_some(batch));
                }
                _ => return Ok(None),
            }
        }
    }

    /// Reads an item after its tag. Returns whether it can be one.
    fn item(&mut self, stamps_keyspace: Option<u64>, batch: &mut JournalBatch) -> io::Result<bool> {
        let [_kind, compression] = self.array()?;
        let keyspace = u64::from_le_bytes(self.array()?);
        let key_bytes = usize::from(u16::from_le_bytes(self.array()?));
        let _value_bytes: [u8; 4] = self.array()?;
        let stored_bytes = u32::from_le_bytes(self.array()?);
        let key = self.vector(key_bytes)?;
        if Some(keyspace) != stamps_keyspace {
            self.skip(u64::from(stored_bytes))?;
            return Ok(true);
        }
        // Short values are never compressed, and stamps are the only thing in their keyspace.
        let value =
            self.vector(usize::try_from(stored_bytes).unwrap_or(usize::MAX).min(CHUNK_BYTES))?;
        let Some(entry) = StampEntry::decode(&key, &value).filter(|_| compression == 0) else {
            return Ok(false);
        };
        batch.stamps.push((entry.shard, entry.stamp));
        batch.mark = batch.mark.or(entry.mark);
        Ok(true)
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut array = [0; N];
        self.fill(&mut array)?;
        Ok(array)
    }

    fn vector(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut vector = vec![0; length];
        self.fill(&mut vector)?;
        Ok(vector)
    }

    /// A damaged length may be anything, so no memory is reserved for it.
    fn skip(&mut self, mut length: u64) -> io::Result<()> {
        let mut buffer = [0; 4096];
        while length > 0 {
            let step = usize::try_from(length).unwrap_or(usize::MAX).min(buffer.len());
            let Some(chunk) = buffer.get_mut(..step) else { return Ok(()) };
            self.fill(chunk)?;
            length -= step as u64;
        }
        Ok(())
    }

    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.from.read_exact(bytes)?;
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }
}

/// For fuzzing: a journal is read as far as its batches are whole.
#[cfg(any(test, fuzzing))]
pub(crate) fn check_journal(bytes: &[u8]) {
    for stamps_keyspace in [None, Some(1)] {
        let mut from = bytes;
        while let Ok(Some(batch)) = read_batch(&mut from, stamps_keyspace) {
            assert!(batch.bytes > 0, "a batch has bytes");
        }
    }
}
