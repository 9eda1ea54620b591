//! The connections of a store.
//!
//! Owns three kinds: shared ones, whose statements of many callers are pipelined; exclusive ones, for commits, which
//! wait for locks and disks, and for large pages; and those of snapshots. Separate, so that a caller who holds a
//! snapshot never waits for another one who waits for it. Waits while a server restarts. Does not own statements.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use deadpool_postgres::{Object, Pool, PoolError, Runtime};
use storage::Result;
use tokio::sync::Mutex;

use crate::connect::{session_config, tls};
use crate::error::{is_transient, no_connection};
use crate::location::PostgresLocation;
use crate::settings::PostgresSettings;

/// Between two attempts to reach a server.
const TRY_EVERY: Duration = Duration::from_millis(50);

pub(crate) struct StoreConnections {
    location: PostgresLocation,
    connect_timeout: Duration,
    slots: Vec<Mutex<Option<Arc<Object>>>>,
    next_slot: AtomicUsize,
    shared: Pool,
    exclusive: Pool,
    snapshots: Pool,
}

impl StoreConnections {
    pub(crate) fn new(location: &PostgresLocation, settings: &PostgresSettings) -> Result<Self> {
        let config = session_config(location, settings);
        let tls = tls(location)?;
        let pool = |connections_max: usize| {
            Pool::builder(tls.manager(config.clone()))
                .max_size(connections_max)
                .runtime(Runtime::Tokio1)
                .wait_timeout(Some(settings.connect_timeout))
                .create_timeout(Some(settings.connect_timeout))
                .build()
                .map_err(|error| crate::error::cannot_open(location, "no pool").with_source(error))
        };
        let slots = settings.shared_connections.max(1);
        Ok(Self {
            location: location.clone(),
            connect_timeout: settings.connect_timeout,
            slots: (0..slots).map(|_| Mutex::default()).collect(),
            next_slot: AtomicUsize::new(0),
            // Twice as many: a lost connection is replaced while its last callers still hold it.
            shared: pool(slots * 2)?,
            exclusive: pool(settings.exclusive_connections.max(2))?,
            snapshots: pool(settings.snapshot_connections.max(1))?,
        })
    }

    /// A connection that others use at the same time.
    pub(crate) async fn shared(&self) -> Result<Arc<Object>> {
        let number = self.next_slot.fetch_add(1, Ordering::Relaxed) % self.slots.len();
        let Some(slot) = self.slots.get(number) else {
            return self.get(&self.shared).await.map(Arc::new);
        };
        let mut slot = slot.lock().await;
        if let Some(open) = slot.as_ref().filter(|open| !open.is_closed()) {
            return Ok(Arc::clone(open));
        }
        *slot = None;
        let opened = Arc::new(self.get(&self.shared).await?);
        *slot = Some(Arc::clone(&opened));
        Ok(opened)
    }

    /// A connection for one caller.
    pub(crate) async fn exclusive(&self) -> Result<Object> {
        self.get(&self.exclusive).await
    }

    /// A connection for one snapshot.
    pub(crate) async fn snapshot(&self) -> Result<Object> {
        self.get(&self.snapshots).await
    }

    /// The first connection of a store, whose errors explain why it cannot be opened. It does not wait for a server.
    pub(crate) async fn first(&self) -> std::result::Result<Object, PoolError> {
        self.exclusive.get().await
    }

    /// Drops all connections that nobody uses: their server does not answer.
    pub(crate) async fn reset(&self) {
        for slot in &self.slots {
            if let Some(connection) = slot.lock().await.take().and_then(Arc::into_inner) {
                drop(Object::take(connection));
            }
        }
        for pool in [&self.shared, &self.exclusive, &self.snapshots] {
            pool.retain(|_, _| false);
        }
    }

    pub(crate) fn close(&self) {
        for pool in [&self.shared, &self.exclusive, &self.snapshots] {
            pool.close();
        }
    }

    async fn get(&self, pool: &Pool) -> Result<Object> {
        let mut tries = self.connect_timeout.as_millis() / TRY_EVERY.as_millis();
        loop {
            match pool.get().await {
                Ok(connection) => return Ok(connection),
                Err(PoolError::Closed) => return Err(crate::error::closed()),
                Err(error) if tries > 0 && is_transient(&error) => tries -= 1,
                Err(error) => return Err(no_connection(&self.location, error)),
            }
            tokio::time::sleep(TRY_EVERY).await;
        }
    }
}
