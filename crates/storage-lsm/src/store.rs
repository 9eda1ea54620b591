//! The store handle that callers hold.
//!
//! Owns the life of the committer's thread and the calls that go through it. Does not own how keys are read (`read`) or
//! how a folder is opened (`open`). The folder stays locked until the last handle and the last snapshot are dropped.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use storage::{
    Error, ErrorKind, Read, Result, Scan, ScanPage, Shard, ShardStatistics, Space, Stamp,
    StorageKey, StorageValue, Store, WriteSet,
};
use tokio::sync::oneshot;

use crate::commit::{CommitJob, CommitQueue, ResultSender};
use crate::error::{closed, read_failed, write_failure_text};
use crate::inner::LsmInner;
use crate::read::{LsmSnapshot, NumberedSnapshot};

/// How long dropping a store waits for its committer: longer than any batch takes, but not forever on a dead device.
const DROP_TIMEOUT: Duration = Duration::from_secs(10);

/// A store in a folder.
///
/// ```
/// use planisphere_storage_lsm::{LsmSettings, LsmStore};
/// use storage::{Read, Shard, Space, Store, WriteSet};
///
/// static SPACES: &[Space] = &[Space { number: 1, name: "items", prefix_bytes: 0, buffered: false }];
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let store = LsmStore::open(folder.path(), SPACES, LsmSettings::default())?;
/// let mut set = WriteSet::new();
/// set.put(SPACES[0], "key", "value");
/// store.commit(Shard(1), vec![set]).await?;
/// store.close().await?;
/// drop(store);
///
/// let store = LsmStore::open(folder.path(), SPACES, LsmSettings::default())?;
/// assert_eq!(store.get(Shard(1), SPACES[0], b"key").await?.unwrap(), "value");
/// # Ok(())
/// # }
/// ```
pub struct LsmStore {
    inner: Arc<LsmInner>,
    queue: Arc<CommitQueue>,
    /// Receives nothing. It is disconnected when the committer's thread has dropped its reference to the tree.
    committer_exit: Mutex<Receiver<()>>,
}

impl LsmStore {
    pub(crate) fn new(
        inner: Arc<LsmInner>,
        queue: Arc<CommitQueue>,
        committer_exit: Receiver<()>,
    ) -> Self {
        Self { inner, queue, committer_exit: Mutex::new(committer_exit) }
    }

    /// Bytes on disk, including the journal, which counts with the size it has reserved.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] after closing, [`ErrorKind::Device`] when the sizes of the files cannot be read.
    pub fn disk_bytes(&self) -> Result<u64> {
        self.inner.check_open()?;
        let keyspaces = self.inner.keyspaces()?;
        keyspaces.database().disk_space().map_err(|error| read_failed(keyspaces.path(), error))
    }

    #[cfg(test)]
    pub(crate) fn keyspaces(&self) -> Arc<crate::keyspaces::Keyspaces> {
        self.inner.keyspaces().unwrap()
    }

    /// Queues a job and waits for its result. A caller that stops waiting does not cancel the job.
    async fn submit<T>(&self, job: impl FnOnce(ResultSender<T>) -> CommitJob) -> Result<T> {
        let (sender, receiver) = oneshot::channel();
        self.queue.push(job(sender)).await?;
        // The sender was dropped without a result: the committer has ended, or it has panicked.
        receiver.await.unwrap_or_else(|_| Err(self.committer_gone()))
    }

    fn committer_gone(&self) -> Error {
        if self.inner.is_closed() {
            return closed();
        }
        Error::new(
            ErrorKind::Device,
            format!(
                "the committer of the store at {} stopped; open the store again",
                self.inner.path().display()
            ),
        )
    }
}

#[async_trait]
impl Read for LsmStore {
    async fn get(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>> {
        self.inner.check_open()?;
        self.inner.get_latest(shard, space, key)
    }

    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>> {
        self.inner.check_open()?;
        let keyspaces = self.inner.keyspaces()?;
        let view = NumberedSnapshot::latest(&self.inner, &keyspaces);
        self.inner.get_many(&keyspaces, &view, shard, space, keys)
    }

    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage> {
        self.inner.check_open()?;
        let keyspaces = self.inner.keyspaces()?;
        let view = NumberedSnapshot::latest(&self.inner, &keyspaces);
        self.inner.scan(&keyspaces, &view, shard, space, scan)
    }
}

#[async_trait]
impl Store for LsmStore {
    async fn snapshot(&self) -> Result<Arc<dyn Read>> {
        self.inner.check_open()?;
        Ok(Arc::new(LsmSnapshot::latest(&self.inner)?))
    }

    async fn commit(&self, shard: Shard, group: Vec<WriteSet>) -> Result<Vec<Stamp>> {
        self.inner.check_open()?;
        self.submit(|result| CommitJob::Commit { shard, group, result }).await
    }

    async fn last_stamp(&self, shard: Shard) -> Result<Stamp> {
        self.inner.check_open()?;
        Ok(self.inner.last_stamps.last(shard))
    }

    async fn wait(&self, shard: Shard, after: Stamp) -> Result<Stamp> {
        // Without a check: waiting ends with an error when the store is closed.
        self.inner.last_stamps.wait(shard, after).await
    }

    async fn statistics(&self, shard: Shard) -> Result<ShardStatistics> {
        let store_bytes = self.disk_bytes()?;
        Ok(ShardStatistics { last_stamp: self.inner.last_stamps.last(shard), store_bytes })
    }

    fn write_failure(&self) -> Option<String> {
        self.inner.write_failure().map(|reason| write_failure_text(&reason))
    }

    async fn sync(&self) -> Result<()> {
        self.inner.check_open()?;
        self.submit(|result| CommitJob::Sync { result }).await
    }

    async fn close(&self) -> Result<()> {
        // New calls are refused from here on; jobs that are queued already are finished before the close.
        self.inner.close()?;
        let result = self.submit(|result| CommitJob::Close { result }).await;
        // After the last commit is done, so that those who wait see every stamp first.
        self.inner.last_stamps.close();
        result
    }
}

impl Drop for LsmStore {
    fn drop(&mut self) {
        self.queue.close();
        if let Ok(exit) = self.committer_exit.get_mut() {
            // Waits for the disconnection, so that the folder can be opened again right after the drop. After the
            // timeout the thread is left behind: it is stuck in a call to the device.
            let _ = exit.recv_timeout(DROP_TIMEOUT);
        }
    }
}

impl std::fmt::Debug for LsmStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("LsmStore").field("path", &self.inner.path()).finish()
    }
}
