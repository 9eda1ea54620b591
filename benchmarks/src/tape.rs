//! The tape: every entry the engine's commits put into the store, in order, with stamps placed.
//!
//! Owns the recording store and the reading back. The raw side writes exactly these bytes, so both sides of a
//! measurement move the same data. A tape is a file, not memory: the memory of the loading process is measured.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read as _, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use fjall::Slice;
use storage::{
    Read, Scan, ScanPage, Shard, ShardStatistics, Space, Stamp, StorageKey, StorageValue, Store,
    Write, WriteSet,
};

use crate::Result;

/// A removal has no value.
const REMOVED: u32 = u32::MAX;

/// A store that writes what is committed to a tape.
pub(crate) struct Recorder {
    store: Arc<dyn Store>,
    tape: Mutex<BufWriter<File>>,
}

impl Recorder {
    pub(crate) fn new(store: Arc<dyn Store>, tape: &Path) -> Result<Self> {
        let tape = Mutex::new(BufWriter::new(File::create(tape)?));
        Ok(Self { store, tape })
    }

    fn record(&self, shard: Shard, group: &[WriteSet], stamps: &[Stamp]) -> std::io::Result<()> {
        let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        for (set, stamp) in group.iter().zip(stamps) {
            let count = u32::try_from(set.writes.len()).unwrap_or(u32::MAX);
            tape.write_all(&count.to_be_bytes())?;
            for write in &set.writes {
                write_entry(&mut *tape, shard, write, *stamp)?;
            }
        }
        Ok(())
    }
}

fn write_entry(
    tape: &mut impl std::io::Write,
    shard: Shard,
    write: &Write,
    stamp: Stamp,
) -> std::io::Result<()> {
    let (space, key, key_stamp_at) = match write {
        Write::Put { space, key, key_stamp_at, .. } => (space, key, *key_stamp_at),
        Write::Remove { space, key } => (space, key, None),
    };
    let mut key = key.to_vec();
    stamp.write_at(&mut key, key_stamp_at);
    let key = [&shard.0.to_be_bytes(), key.as_slice()].concat();
    let value = match write {
        Write::Put { value, value_stamp_at, .. } => {
            let mut value = value.to_vec();
            stamp.write_at(&mut value, *value_stamp_at);
            Some(value)
        }
        Write::Remove { .. } => None,
    };
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(REMOVED);
    tape.write_all(&[space.number])?;
    tape.write_all(&length(&key).to_be_bytes())?;
    tape.write_all(&value.as_deref().map_or(REMOVED, length).to_be_bytes())?;
    tape.write_all(&key)?;
    tape.write_all(value.as_deref().unwrap_or_default())
}

/// One entry for the raw side: number of the space, key of the tree, value or removal.
pub(crate) struct TapeEntry {
    pub(crate) space: u8,
    pub(crate) key: Slice,
    pub(crate) value: Option<Slice>,
}

/// A tape being read.
pub(crate) struct Tape(BufReader<File>);

impl Tape {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Ok(Self(BufReader::with_capacity(1 << 20, File::open(path)?)))
    }

    /// The entries of the next write sets; on the same key the last one stays. Empty at the end of the tape.
    pub(crate) fn next(&mut self, sets: u64) -> Result<(Vec<TapeEntry>, u64)> {
        let mut entries: Vec<TapeEntry> = Vec::new();
        let mut places: HashMap<(u8, Slice), usize> = HashMap::new();
        let mut taken = 0;
        while taken < sets
            && let Some(count) = self.count()?
        {
            taken += 1;
            for _ in 0..count {
                let entry = self.entry()?;
                let place =
                    *places.entry((entry.space, entry.key.clone())).or_insert(entries.len());
                match entries.get_mut(place) {
                    Some(earlier) => *earlier = entry,
                    None => entries.push(entry),
                }
            }
        }
        Ok((entries, taken))
    }

    fn count(&mut self) -> Result<Option<u32>> {
        let mut bytes = [0; 4];
        match self.0.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(u32::from_be_bytes(bytes))),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn entry(&mut self) -> Result<TapeEntry> {
        let mut space = [0];
        self.0.read_exact(&mut space)?;
        let key_length = self.length()?;
        let value_length = self.length()?;
        let key = self.bytes(key_length)?;
        let value = if value_length == REMOVED { None } else { Some(self.bytes(value_length)?) };
        Ok(TapeEntry { space: space[0], key, value })
    }

    fn length(&mut self) -> Result<u32> {
        let mut bytes = [0; 4];
        self.0.read_exact(&mut bytes)?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn bytes(&mut self, length: u32) -> Result<Slice> {
        let mut bytes = vec![0; length as usize];
        self.0.read_exact(&mut bytes)?;
        Ok(Slice::from(bytes))
    }
}

#[async_trait]
impl Read for Recorder {
    async fn get(
        &self,
        shard: Shard,
        space: Space,
        key: &[u8],
    ) -> storage::Result<Option<StorageValue>> {
        self.store.get(shard, space, key).await
    }

    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> storage::Result<Vec<Option<StorageValue>>> {
        self.store.get_many(shard, space, keys).await
    }

    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> storage::Result<ScanPage> {
        self.store.scan(shard, space, scan).await
    }
}

#[async_trait]
impl Store for Recorder {
    async fn snapshot(&self) -> storage::Result<Arc<dyn Read>> {
        self.store.snapshot().await
    }

    async fn commit(&self, shard: Shard, group: Vec<WriteSet>) -> storage::Result<Vec<Stamp>> {
        let stamps = self.store.commit(shard, group.clone()).await?;
        self.record(shard, &group, &stamps)
            .map_err(|error| storage::Error::invalid(format!("the tape is broken: {error}")))?;
        Ok(stamps)
    }

    async fn last_stamp(&self, shard: Shard) -> storage::Result<Stamp> {
        self.store.last_stamp(shard).await
    }

    async fn wait(&self, shard: Shard, after: Stamp) -> storage::Result<Stamp> {
        self.store.wait(shard, after).await
    }

    async fn statistics(&self, shard: Shard) -> storage::Result<ShardStatistics> {
        self.store.statistics(shard).await
    }

    async fn sync(&self) -> storage::Result<()> {
        self.store.sync().await
    }

    async fn close(&self) -> storage::Result<()> {
        let flushed = self.tape.lock().unwrap_or_else(PoisonError::into_inner).flush();
        flushed.map_err(|error| storage::Error::invalid(format!("the tape is broken: {error}")))?;
        self.store.close().await
    }
}
