//! The lease of the process that uses a store.
//!
//! Owns taking, renewing and giving it back. One process at a time writes: it has the highest fence, which the commit
//! function compares under the lock of the shard, so that a process that was paused and wakes up late writes nothing.
//! It also reads nothing, because its lease has ended by its own clock before another process may take it. Does not
//! own what a process does without the lease.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use deadpool_postgres::Object;
use storage::Result;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_postgres::Transaction;

use crate::error::{cannot_open, did_not_open};
use crate::location::PostgresLocation;
use crate::read::DriverResult;
use crate::settings::PostgresSettings;
use crate::sql::SqlTexts;

/// A lease is over for its holder when this share of it is left: room for clocks of different speed.
const MARGIN: u32 = 10;

/// The process that uses a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOwner {
    /// A name for people: process and machine.
    pub holder: String,
    /// Where clients reach it; empty if it serves none.
    pub address: String,
}

/// The lease of this process.
#[derive(Debug)]
pub(crate) struct StoreLease {
    pub(crate) fence: i64,
    duration: Duration,
    start: Instant,
    /// Milliseconds since `start` until which the lease is valid.
    valid_until_ms: AtomicU64,
    is_lost: AtomicBool,
    pub(crate) lost: Notify,
}

impl StoreLease {
    /// Takes the lease inside a transaction that holds the lock of the schema.
    pub(crate) async fn take(
        transaction: &Transaction<'_>,
        location: &PostgresLocation,
        settings: &PostgresSettings,
    ) -> Result<Self> {
        let start = Instant::now();
        let schema = &location.schema;
        // Before the lease is looked at and the fence is taken: the holder cannot renew it in between, and a fence
        // that it raises meanwhile is lower.
        let lock = format!("SELECT 1 FROM {schema}.owner FOR UPDATE");
        transaction.query(&lock, &[]).await.map_err(|error| did_not_open(location, error))?;
        if let Some(owner) = current_owner(transaction, schema)
            .await
            .map_err(|error| did_not_open(location, error))?
        {
            let at = if owner.address.is_empty() {
                String::new()
            } else {
                format!(" at {}", owner.address)
            };
            let reason = format!(
                "{}{at} has it open; stop that process first, or connect to it",
                owner.holder
            );
            return Err(cannot_open(location, &reason));
        }
        let fence = take_fence(transaction, schema, settings).await;
        let fence = fence.map_err(|error| did_not_open(location, error))?;
        let lease = Self {
            fence,
            duration: settings.lease,
            start,
            valid_until_ms: AtomicU64::new(0),
            is_lost: AtomicBool::new(false),
            lost: Notify::new(),
        };
        lease.extend(start);
        Ok(lease)
    }

    /// Whether this process may use what it reads. Asked after a read: no other process had the lease before then.
    pub(crate) fn is_valid(&self) -> bool {
        !self.is_lost() && ms(self.start.elapsed()) < self.valid_until_ms.load(Ordering::SeqCst)
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::SeqCst)
    }

    /// Another process has taken over.
    pub(crate) fn lose(&self) {
        self.is_lost.store(true, Ordering::SeqCst);
        self.lost.notify_waiters();
    }

    /// Completes when the lease is over by the clock of this process, or another one has it. A call that waits for an
    /// unreachable server ends then.
    pub(crate) async fn over(&self) {
        loop {
            let until = Duration::from_millis(self.valid_until_ms.load(Ordering::SeqCst));
            if self.is_lost() || self.start.elapsed() >= until {
                return;
            }
            tokio::time::sleep_until(self.start + until).await;
        }
    }

    /// How long to wait between two renewals.
    pub(crate) fn renew_every(&self) -> Duration {
        self.duration / 4
    }

    /// How long a renewal may take. While the lease is valid there must be time for another attempt on a new
    /// connection; after that, a server that answers slowly is given the time to answer at all.
    pub(crate) fn renewal_timeout(&self) -> Duration {
        if self.is_valid() { self.renew_every() } else { self.duration }
    }

    /// Renews the lease on a connection; an error means that nothing is known.
    pub(crate) async fn renew(&self, connection: &Object, sql: &SqlTexts) -> DriverResult<()> {
        // Before the statement is sent: the server counts from a later time.
        let asked = Instant::now();
        let statement = connection.prepare_cached(&sql.renew).await?;
        match connection.execute(&statement, &[&self.fence]).await? {
            0 => self.lose(),
            _ => self.extend(asked),
        }
        Ok(())
    }

    fn extend(&self, asked: Instant) {
        let valid = self.duration - self.duration / MARGIN;
        let until = ms(asked.duration_since(self.start) + valid);
        self.valid_until_ms.fetch_max(until, Ordering::SeqCst);
    }
}

/// The process whose lease is not over.
pub(crate) async fn current_owner(
    transaction: &Transaction<'_>,
    schema: &str,
) -> DriverResult<Option<StoreOwner>> {
    let text = format!(
        "SELECT holder, address FROM {schema}.owner \
         WHERE renewed_at > clock_timestamp() - lease_ms * interval '1 millisecond'"
    );
    let row = transaction.query_opt(&text, &[]).await?;
    row.map(|row| Ok(StoreOwner { holder: row.try_get(0)?, address: row.try_get(1)? })).transpose()
}

/// Takes the next fence and raises that of every shard. This waits for commits in progress; later ones of the former
/// owner are refused.
async fn take_fence(
    transaction: &Transaction<'_>,
    schema: &str,
    settings: &PostgresSettings,
) -> DriverResult<i64> {
    let next = format!("SELECT nextval('{schema}.fence_numbers')");
    let fence: i64 = transaction.query_one(&next, &[]).await?.try_get(0)?;
    let lease_ms = i64::try_from(settings.lease.as_millis()).unwrap_or(i64::MAX);
    let holder = holder();
    let take = format!(
        "INSERT INTO {schema}.owner (only_row, fence, holder, address, renewed_at, lease_ms) \
         VALUES (true, $1, $2, $3, clock_timestamp(), $4) ON CONFLICT (only_row) DO UPDATE SET \
         fence = EXCLUDED.fence, holder = EXCLUDED.holder, address = EXCLUDED.address, \
         renewed_at = EXCLUDED.renewed_at, lease_ms = EXCLUDED.lease_ms"
    );
    transaction.execute(&take, &[&fence, &holder, &settings.address, &lease_ms]).await?;
    let raise = format!("UPDATE {schema}.shard SET fence = $1");
    transaction.execute(&raise, &[&fence]).await?;
    Ok(fence)
}

fn holder() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("process {} on {}", std::process::id(), host.trim())
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
