//! The store handle that callers hold.
//!
//! Owns what is shared by all calls: connections, statements, the lease, fences in doubt, and why writes fail at
//! present. Does not own how a commit or a read is made: see `commit` and `read`.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use storage::{
    Error, LastStamps, Read, Result, Scan, ScanPage, Shard, ShardStatistics, Space, Stamp,
    StorageKey, StorageValue, Store, WriteSet,
};
use tokio::sync::RwLock;

use crate::connect::ConnectionTls;
use crate::connections::StoreConnections;
use crate::error::{StatementFailure, classify, closed, lease_lost, statement_failed};
use crate::lease::StoreLease;
use crate::location::PostgresLocation;
use crate::read::{MultiRead, PointRead, RangeRead, ReadStatement, StampRead};
use crate::snapshot::PostgresSnapshot;
use crate::sql::SqlTexts;

/// How often a read is repeated on another connection.
const READ_TRIES_MAX: u32 = 3;
/// Between two attempts to write after a failed commit.
const PROBE_EVERY: Duration = Duration::from_millis(500);

/// A store in a schema of a PostgreSQL database.
pub struct PostgresStore {
    pub(crate) inner: Arc<PostgresInner>,
}

pub(crate) struct PostgresInner {
    pub(crate) location: PostgresLocation,
    pub(crate) connections: StoreConnections,
    pub(crate) sql: SqlTexts,
    pub(crate) tls: ConnectionTls,
    pub(crate) lease: StoreLease,
    last_stamps: LastStamps,
    /// One commit publishes at a time, so that stamps never go back.
    publishing: Mutex<()>,
    closed: AtomicBool,
    /// Held by every commit; closing waits for them.
    committing: RwLock<()>,
    fences: Mutex<ShardFences>,
    /// Shards in `fences` whose last commit is in doubt. Read without the lock by every call, and nearly always zero.
    unsettled: AtomicUsize,
    write_failure: Mutex<Option<String>>,
    is_probing: AtomicBool,
}

/// Fences above that of the lease.
#[derive(Debug, Default)]
struct ShardFences {
    raised: HashMap<Shard, i64>,
    unsettled: Vec<Shard>,
}

impl PostgresInner {
    pub(crate) fn new(
        location: PostgresLocation,
        connections: StoreConnections,
        (sql, tls): (SqlTexts, ConnectionTls),
        lease: StoreLease,
        last_stamps: LastStamps,
    ) -> Self {
        Self {
            location,
            connections,
            sql,
            tls,
            lease,
            last_stamps,
            publishing: Mutex::default(),
            closed: AtomicBool::new(false),
            committing: RwLock::default(),
            fences: Mutex::default(),
            unsettled: AtomicUsize::new(0),
            write_failure: Mutex::default(),
            is_probing: AtomicBool::new(false),
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    pub(crate) fn check_open(&self) -> Result<()> {
        if self.is_closed() { Err(closed()) } else { Ok(()) }
    }

    pub(crate) fn check_lease(&self) -> Result<()> {
        if self.lease.is_valid() { Ok(()) } else { Err(lease_lost(&self.location)) }
    }

    pub(crate) fn publish(&self, shard: Shard, stamp: Stamp) {
        let _one = self.publishing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.last_stamps.last(shard) < stamp {
            self.last_stamps.publish(shard, stamp);
        }
    }

    /// The fence of a commit to a shard.
    pub(crate) fn fence(&self, shard: Shard) -> i64 {
        self.fences().raised.get(&shard).copied().unwrap_or(self.lease.fence)
    }

    pub(crate) fn is_unsettled(&self, shard: Shard) -> bool {
        self.unsettled.load(Ordering::SeqCst) > 0 && self.fences().unsettled.contains(&shard)
    }

    pub(crate) fn mark_unsettled(&self, shard: Shard) {
        let mut fences = self.fences();
        if !fences.unsettled.contains(&shard) {
            fences.unsettled.push(shard);
        }
        self.unsettled.store(fences.unsettled.len(), Ordering::SeqCst);
    }

    pub(crate) fn settled(&self, shard: Shard, fence: i64) {
        let mut fences = self.fences();
        let raised = fences.raised.entry(shard).or_insert(fence);
        *raised = fence.max(*raised);
        fences.unsettled.retain(|unsettled| *unsettled != shard);
        self.unsettled.store(fences.unsettled.len(), Ordering::SeqCst);
    }

    fn fences(&self) -> MutexGuard<'_, ShardFences> {
        self.fences.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Renews the lease; false if the server did not answer.
    pub(crate) async fn renew_lease(&self) -> bool {
        let renewal = async {
            let connection = self.connections.exclusive().await.ok()?;
            self.lease.renew(&connection, &self.sql).await.ok()
        };
        match tokio::time::timeout(self.lease.renewal_timeout(), renewal).await {
            Ok(renewed) => renewed.is_some(),
            Err(_) => {
                self.connections.reset().await;
                false
            }
        }
    }

    /// Waits for a call as long as the lease is valid. After that no call is begun: each one would open a connection
    /// and abandon it, and the renewal of the lease would wait behind thousands of them at the server.
    pub(crate) async fn within_lease<T>(&self, call: impl Future<Output = T>) -> Result<T> {
        self.check_lease()?;
        tokio::select! {
            biased;
            done = call => Ok(done),
            () = self.lease.over() => Err(lease_lost(&self.location)),
        }
    }

    /// Remembers why a write failed, and tries until one succeeds.
    pub(crate) fn note_write_failure(&self, error: &Error) {
        *self.failure() = Some(error.full_message());
    }

    fn failure(&self) -> MutexGuard<'_, Option<String>> {
        self.write_failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the task that tries to write, unless it runs.
    fn start_probe(self: &Arc<Self>) {
        if self.failure().is_none() || self.is_probing.swap(true, Ordering::SeqCst) {
            return;
        }
        let inner = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                let Some(inner) = inner.upgrade() else { return };
                if inner.is_closed() || inner.touch().await.is_ok() {
                    *inner.failure() = None;
                    inner.is_probing.store(false, Ordering::SeqCst);
                    return;
                }
                drop(inner);
                tokio::time::sleep(PROBE_EVERY).await;
            }
        });
    }

    /// Writes one row durably; what was committed before is durable then.
    async fn touch(&self) -> Result<()> {
        let failed = |error| statement_failed(&self.location, error);
        let mut connection = self.connections.exclusive().await?;
        let transaction = connection.transaction().await.map_err(failed)?;
        let durable = "SELECT set_config('synchronous_commit', 'on', true) \
                       WHERE current_setting('synchronous_commit') = 'off'";
        transaction.query(durable, &[]).await.map_err(failed)?;
        transaction.execute(self.sql.touch.as_str(), &[]).await.map_err(failed)?;
        transaction.commit().await.map_err(failed)
    }

    /// Whether a read may be repeated after this error.
    fn may_repeat(error: &tokio_postgres::Error) -> bool {
        classify(error) != StatementFailure::Refused
    }
}

impl PostgresStore {
    /// Waits until another process has taken the lease, or this one could not renew it in time and lost it.
    pub async fn lease_lost(&self) {
        let lost = self.inner.lease.lost.notified();
        if !self.inner.lease.is_lost() {
            lost.await;
        }
    }

    /// Whether another process has taken the lease.
    #[must_use]
    pub fn has_lost_lease(&self) -> bool {
        self.inner.lease.is_lost()
    }

    /// Runs a read until it succeeds: a lost connection is replaced.
    async fn read<S: ReadStatement>(&self, shard: Shard, statement: S) -> Result<S::Value> {
        let inner = &self.inner;
        inner.check_open()?;
        inner.settle_if_needed(shard).await?;
        let mut tries = READ_TRIES_MAX;
        loop {
            tries -= 1;
            let attempt = async {
                if statement.is_large() {
                    let connection = inner.connections.exclusive().await?;
                    Ok::<_, Error>(statement.run(&connection, &inner.sql).await)
                } else {
                    let connection = inner.connections.shared().await?;
                    Ok(statement.run(&connection, &inner.sql).await)
                }
            };
            match inner.within_lease(attempt).await?? {
                Ok(value) => {
                    inner.check_lease()?;
                    return Ok(value);
                }
                Err(error) if tries > 0 && PostgresInner::may_repeat(&error) => {}
                Err(error) => return Err(statement_failed(&inner.location, error)),
            }
        }
    }
}

#[async_trait]
impl Read for PostgresStore {
    async fn get(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>> {
        self.read(shard, PointRead { address: (shard, space), key }).await
    }

    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>> {
        self.read(shard, MultiRead { address: (shard, space), keys }).await
    }

    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage> {
        self.read(shard, RangeRead { address: (shard, space), scan }).await
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn snapshot(&self) -> Result<Arc<dyn Read>> {
        self.inner.check_open()?;
        Ok(Arc::new(PostgresSnapshot::begin(&self.inner).await?))
    }

    async fn commit(&self, shard: Shard, group: Vec<WriteSet>) -> Result<Vec<Stamp>> {
        let _commit = self.inner.committing.read().await;
        self.inner.check_open()?;
        let committed = self.inner.commit(shard, &group).await;
        if committed.is_err() {
            self.inner.start_probe();
        }
        committed
    }

    async fn last_stamp(&self, shard: Shard) -> Result<Stamp> {
        let stamp = self.read(shard, StampRead(shard)).await?;
        self.inner.publish(shard, stamp);
        Ok(stamp)
    }

    async fn wait(&self, shard: Shard, after: Stamp) -> Result<Stamp> {
        // Without a check: waiting ends with an error when the store is closed. Only this process writes.
        self.inner.last_stamps.wait(shard, after).await
    }

    async fn statistics(&self, shard: Shard) -> Result<ShardStatistics> {
        let last_stamp = self.last_stamp(shard).await?;
        let connection = self.inner.connections.shared().await?;
        let row = connection.query_one(self.inner.sql.store_bytes.as_str(), &[]).await;
        let bytes = row.and_then(|row| row.try_get::<_, i64>(0));
        let bytes = bytes.map_err(|error| statement_failed(&self.inner.location, error))?;
        Ok(ShardStatistics { last_stamp, store_bytes: u64::try_from(bytes).unwrap_or(0) })
    }

    fn write_failure(&self) -> Option<String> {
        self.inner.failure().clone()
    }

    async fn sync(&self) -> Result<()> {
        self.inner.check_open()?;
        self.inner.touch().await
    }

    async fn close(&self) -> Result<()> {
        if self.inner.closed.swap(true, Ordering::SeqCst) {
            return Err(closed());
        }
        // Commits in progress end first; new ones are refused from here on.
        let _commits = self.inner.committing.write().await;
        let synced = self.inner.touch().await;
        if let Ok(connection) = self.inner.connections.exclusive().await {
            // Without it, the next process waits until the lease is over.
            let fence = self.inner.lease.fence;
            let _ = connection.execute(self.inner.sql.release.as_str(), &[&fence]).await;
        }
        self.inner.connections.close();
        self.inner.last_stamps.close();
        synced
    }
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("PostgresStore").field("location", &self.inner.location).finish()
    }
}
