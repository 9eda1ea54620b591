//! A store whose commits and reads fail according to a script.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use storage::memory::MemoryStore;
use storage::{
    Error, ErrorKind, Read, Result, Scan, ScanPage, Shard, ShardStatistics, Space, Stamp,
    StorageKey, StorageValue, Store, WriteSet,
};
use tokio::sync::Semaphore;

/// The gate behind the commits of a shard.
pub(crate) const COMMITS: &str = "commits";

/// The gate behind which snapshots are taken.
pub(crate) const SNAPSHOTS: &str = "snapshots";

/// The result of one commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing is written, and the commit returns an error.
    Fails,
    /// Everything is written, but the commit returns an error: the acknowledgement is lost.
    LosesAcknowledgement,
    /// The commit succeeds.
    Passes,
}

/// A store in memory that follows a script.
pub(crate) struct ScriptedStore {
    pub(crate) inner: MemoryStore,
    script: Mutex<VecDeque<(Option<Shard>, Fault)>>,
    reads_fail: AtomicBool,
    /// Entries that reads have returned, also those of snapshots.
    entries_read: Arc<AtomicUsize>,
    /// Reads fail after this many commits of a shard.
    reads_end: Mutex<Option<(Shard, usize)>>,
    /// Scans of these spaces wait for a permit.
    gates: Mutex<HashMap<(Shard, &'static str), Arc<Semaphore>>>,
}

impl ScriptedStore {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            inner: MemoryStore::new(),
            script: Mutex::default(),
            reads_fail: AtomicBool::new(false),
            entries_read: Arc::default(),
            reads_end: Mutex::default(),
            gates: Mutex::default(),
        })
    }

    /// Scripts the next commit of a shard, or of any shard.
    pub(crate) fn next_commit(&self, shard: Option<Shard>, fault: Fault) {
        self.script.lock().unwrap().push_back((shard, fault));
    }

    pub(crate) fn entries_read(&self) -> usize {
        self.entries_read.load(Ordering::SeqCst)
    }

    pub(crate) fn reads_fail(&self, fail: bool) {
        self.reads_fail.store(fail, Ordering::SeqCst);
    }

    pub(crate) fn fail_reads_after_commits(&self, shard: Shard, commits: usize) {
        *self.reads_end.lock().unwrap() = Some((shard, commits));
    }

    fn count_commit(&self, shard: Shard) {
        let mut reads_end = self.reads_end.lock().unwrap();
        let Some((watched, left)) = reads_end.as_mut() else { return };
        *left -= usize::from(*watched == shard);
        if *left == 0 {
            *reads_end = None;
            self.reads_fail(true);
        }
    }

    /// Makes scans of a space, or acknowledgements of commits, wait for a permit of the returned semaphore.
    pub(crate) fn gate(&self, shard: Shard, space: &'static str) -> Arc<Semaphore> {
        let gate = Arc::new(Semaphore::new(0));
        self.gates.lock().unwrap().insert((shard, space), Arc::clone(&gate));
        gate
    }

    async fn pass(&self, shard: Shard, place: &'static str) {
        let gate = self.gates.lock().unwrap().get(&(shard, place)).cloned();
        if let Some(gate) = gate {
            gate.acquire().await.unwrap().forget();
        }
    }

    fn fault(&self, shard: Shard) -> Fault {
        let mut script = self.script.lock().unwrap();
        match script.front() {
            Some((wanted, _)) if wanted.is_none_or(|wanted| wanted == shard) => {
                script.pop_front().map_or(Fault::Passes, |(_, fault)| fault)
            }
            _ => Fault::Passes,
        }
    }

    fn check_read(&self) -> Result<()> {
        if self.reads_fail.load(Ordering::SeqCst) {
            return Err(Error::new(ErrorKind::Device, "the script says so"));
        }
        Ok(())
    }
}

#[async_trait]
impl Read for ScriptedStore {
    async fn get(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>> {
        self.check_read()?;
        self.entries_read.fetch_add(1, Ordering::SeqCst);
        self.inner.get(shard, space, key).await
    }

    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>> {
        self.check_read()?;
        self.entries_read.fetch_add(keys.len(), Ordering::SeqCst);
        self.inner.get_many(shard, space, keys).await
    }

    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage> {
        self.check_read()?;
        self.pass(shard, space.name).await;
        let page = self.inner.scan(shard, space, scan).await?;
        self.entries_read.fetch_add(page.entries.len(), Ordering::SeqCst);
        Ok(page)
    }
}

/// A snapshot that counts what is read.
struct CountedSnapshot {
    inner: Arc<dyn Read>,
    entries_read: Arc<AtomicUsize>,
}

#[async_trait]
impl Read for CountedSnapshot {
    async fn get(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>> {
        self.entries_read.fetch_add(1, Ordering::SeqCst);
        self.inner.get(shard, space, key).await
    }

    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>> {
        self.entries_read.fetch_add(keys.len(), Ordering::SeqCst);
        self.inner.get_many(shard, space, keys).await
    }

    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage> {
        let page = self.inner.scan(shard, space, scan).await?;
        self.entries_read.fetch_add(page.entries.len(), Ordering::SeqCst);
        Ok(page)
    }
}

#[async_trait]
impl Store for ScriptedStore {
    async fn snapshot(&self) -> Result<Arc<dyn Read>> {
        self.check_read()?;
        self.pass(Shard(0), SNAPSHOTS).await;
        let (inner, read) = (self.inner.snapshot().await?, Arc::clone(&self.entries_read));
        Ok(Arc::new(CountedSnapshot { inner, entries_read: read }))
    }

    async fn commit(&self, shard: Shard, group: Vec<WriteSet>) -> Result<Vec<Stamp>> {
        let lost = Error::new(ErrorKind::Device, "the script says so");
        self.count_commit(shard);
        let result = match self.fault(shard) {
            Fault::Fails => Err(lost),
            Fault::LosesAcknowledgement => self.inner.commit(shard, group).await.and(Err(lost)),
            Fault::Passes => self.inner.commit(shard, group).await,
        };
        self.pass(shard, COMMITS).await;
        result
    }

    async fn last_stamp(&self, shard: Shard) -> Result<Stamp> {
        self.check_read()?;
        self.inner.last_stamp(shard).await
    }

    async fn wait(&self, shard: Shard, after: Stamp) -> Result<Stamp> {
        self.inner.wait(shard, after).await
    }

    async fn statistics(&self, shard: Shard) -> Result<ShardStatistics> {
        self.inner.statistics(shard).await
    }

    async fn sync(&self) -> Result<()> {
        self.inner.sync().await
    }

    async fn close(&self) -> Result<()> {
        self.inner.close().await
    }
}
