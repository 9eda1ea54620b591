//! The store: what a caller holds.
//!
//! Owns the life of the committer's thread and the calls that go through it. Does not own reading (`read`) nor how a
//! folder is opened (`open`). The folder stays locked until the last handle and the last snapshot are dropped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use storage::{
    Error, ErrorKind, LastStamps, Read, Result, Shard, ShardStatistics, Stamp, Store, WriteSet,
};
use tokio::sync::oneshot;

use crate::commit::{Job, Queue, Reply};
use crate::failure::{closed, read_failed};
use crate::keyspaces::Keyspaces;
use crate::lock::FolderLock;
use crate::read::{LsmSnapshot, View};
use crate::recent::Recent;

/// How long dropping a store waits for its committer: longer than any batch, but not forever on a dead device.
const DROP_WAITS_MAX: Duration = Duration::from_secs(10);

/// A store in a folder.
pub struct LsmStore {
    pub(crate) shared: Arc<Shared>,
    pub(crate) queue: Arc<Queue>,
    /// Hears nothing, and is disconnected when the committer's thread has let go of the tree.
    pub(crate) committer_gone: Mutex<Receiver<()>>,
}

/// What readers, snapshots and the committer have in common. The lock is released last.
pub(crate) struct Shared {
    pub(crate) keyspaces: Keyspaces,
    pub(crate) last_stamps: LastStamps,
    pub(crate) recent: Recent,
    pub(crate) closed: AtomicBool,
    #[expect(dead_code, reason = "held, not used")]
    pub(crate) lock: FolderLock,
}

impl LsmStore {
    /// Bytes on disk, journal included; the journal counts with the size it has reserved.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] after closing, [`ErrorKind::Device`] when the files cannot be asked.
    pub fn disk_bytes(&self) -> Result<u64> {
        self.shared.refuse_closed()?;
        let keyspaces = &self.shared.keyspaces;
        keyspaces.database.disk_space().map_err(|error| read_failed(&keyspaces.path, error))
    }

    /// Queues a job and waits for its outcome.
    async fn ask<T>(&self, job: impl FnOnce(Reply<T>) -> Job) -> Result<T> {
        let (reply, outcome) = oneshot::channel();
        self.queue.push(job(reply)).await?;
        outcome.await.unwrap_or_else(|_| Err(self.no_answer()))
    }

    fn no_answer(&self) -> Error {
        if self.shared.closed.load(Ordering::Acquire) {
            return closed();
        }
        Error::new(
            ErrorKind::Device,
            format!(
                "the committer of the store at {} stopped; open the store again",
                self.shared.keyspaces.path.display()
            ),
        )
    }
}

#[async_trait]
impl Store for LsmStore {
    async fn snapshot(&self) -> Result<Arc<dyn Read>> {
        self.shared.refuse_closed()?;
        let view = View::latest(&self.shared);
        Ok(Arc::new(LsmSnapshot { shared: Arc::clone(&self.shared), view }))
    }

    async fn commit(&self, shard: Shard, group: Vec<WriteSet>) -> Result<Vec<Stamp>> {
        self.shared.refuse_closed()?;
        self.ask(|reply| Job::Commit { shard, group, reply }).await
    }

    async fn last_stamp(&self, shard: Shard) -> Result<Stamp> {
        self.shared.refuse_closed()?;
        Ok(self.shared.last_stamps.last(shard))
    }

    async fn wait(&self, shard: Shard, after: Stamp) -> Result<Stamp> {
        self.shared.last_stamps.wait(shard, after).await
    }

    async fn statistics(&self, shard: Shard) -> Result<ShardStatistics> {
        let store_bytes = self.disk_bytes()?;
        Ok(ShardStatistics { last_stamp: self.shared.last_stamps.last(shard), store_bytes })
    }

    async fn sync(&self) -> Result<()> {
        self.shared.refuse_closed()?;
        self.ask(|reply| Job::Sync { reply }).await
    }

    async fn close(&self) -> Result<()> {
        if self.shared.closed.swap(true, Ordering::AcqRel) {
            return Err(closed());
        }
        let outcome = self.ask(|reply| Job::Close { reply }).await;
        self.shared.last_stamps.close();
        outcome
    }
}

impl Drop for LsmStore {
    fn drop(&mut self) {
        self.queue.end();
        if let Ok(gone) = self.committer_gone.get_mut() {
            // Disconnection is the good outcome; after the time limit the thread is left to itself.
            let _ = gone.recv_timeout(DROP_WAITS_MAX);
        }
    }
}

impl std::fmt::Debug for LsmStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("LsmStore").field("path", &self.shared.keyspaces.path).finish()
    }
}
