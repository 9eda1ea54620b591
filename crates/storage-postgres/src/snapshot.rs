//! A consistent snapshot: a read-only transaction on a connection of its own.
//!
//! Owns its begin and its end. A caller who goes away in the middle of a statement has it cancelled. Does not own the
//! reads: see `read`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use deadpool_postgres::Object;
use storage::{Read, Result, Scan, ScanPage, Shard, Space, StorageKey, StorageValue};

use crate::error::{closed, statement_failed};
use crate::read::{DriverResult, MultiRead, PointRead, RangeRead, ReadStatement};
use crate::store::PostgresInner;

/// Begins the transaction and takes its snapshot in one round trip.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1";

pub(crate) struct PostgresSnapshot {
    inner: Arc<PostgresInner>,
    /// Absent only while it is dropped.
    connection: Option<Object>,
    /// Whether a statement runs.
    is_busy: AtomicBool,
}

impl PostgresSnapshot {
    pub(crate) async fn begin(inner: &Arc<PostgresInner>) -> Result<Self> {
        let mut tries = 2_u32;
        loop {
            let connection = inner.within_lease(inner.connections.snapshot()).await??;
            // A value before the transaction begins: a caller who goes away in between ends it by dropping this. A
            // connection that went back with its transaction would show an old state to the next snapshot.
            let mut snapshot = Self {
                inner: Arc::clone(inner),
                connection: Some(connection),
                is_busy: AtomicBool::new(true),
            };
            tries -= 1;
            match snapshot.send_begin().await? {
                Ok(()) => {
                    snapshot.is_busy.store(false, Ordering::SeqCst);
                    return Ok(snapshot);
                }
                Err(error) => {
                    if let Some(connection) = snapshot.connection.take() {
                        discard(connection);
                    }
                    // The pool may have had a connection whose server has gone.
                    if tries == 0 {
                        return Err(statement_failed(&inner.location, error));
                    }
                }
            }
        }
    }

    async fn send_begin(&self) -> Result<DriverResult<()>> {
        let connection = self.connection.as_ref().ok_or_else(closed)?;
        self.inner.within_lease(connection.batch_execute(BEGIN)).await
    }

    async fn read<S: ReadStatement>(&self, statement: S) -> Result<S::Value> {
        self.inner.check_open()?;
        let connection = self.connection.as_ref().ok_or_else(closed)?;
        self.is_busy.store(true, Ordering::SeqCst);
        let result = self.inner.within_lease(statement.run(connection, &self.inner.sql)).await?;
        self.is_busy.store(false, Ordering::SeqCst);
        let value = result.map_err(|error| statement_failed(&self.inner.location, error))?;
        self.inner.check_lease()?;
        Ok(value)
    }
}

#[async_trait]
impl Read for PostgresSnapshot {
    async fn get(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>> {
        self.read(PointRead { address: (shard, space), key }).await
    }

    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>> {
        self.read(MultiRead { address: (shard, space), keys }).await
    }

    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage> {
        self.read(RangeRead { address: (shard, space), scan }).await
    }
}

impl Drop for PostgresSnapshot {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            // Without a runtime nobody can end the transaction; the server does when the connection goes.
            discard(connection);
            return;
        };
        let is_busy = self.is_busy.load(Ordering::SeqCst);
        let cancel = is_busy.then(|| connection.cancel_token());
        let tls = self.inner.tls.clone();
        runtime.spawn(async move {
            if let Some(cancel) = cancel {
                tls.cancel(cancel).await;
            }
            // Behind the statement that was cancelled, on the same connection.
            if connection.batch_execute("ROLLBACK").await.is_err() {
                discard(connection);
            }
        });
    }
}

/// Takes a connection out of its pool.
fn discard(connection: Object) {
    drop(Object::take(connection));
}
