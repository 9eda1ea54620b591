//! Opening a store: the server, the schema and the lease are checked in one transaction.
//!
//! Owns the order, and the task that renews the lease. A refusal leaves the database as it was.

use std::sync::Arc;
use std::time::Duration;

use storage::{LastStamps, Result, Shard, Stamp};
use tokio_postgres::Transaction;

use crate::connect::tls;
use crate::connections::StoreConnections;
use crate::error::{did_not_connect, did_not_open};
use crate::lease::{StoreLease, StoreOwner, current_owner};
use crate::location::PostgresLocation;
use crate::read::DriverResult;
use crate::schema::{check_server, prepare};
use crate::settings::PostgresSettings;
use crate::sql::SqlTexts;
use crate::store::{PostgresInner, PostgresStore};

/// Between two attempts to renew a lease that failed.
const RENEW_AGAIN: Duration = Duration::from_millis(100);

impl PostgresStore {
    /// Opens a store, or creates one in a database without.
    ///
    /// # Errors
    /// [`storage::ErrorKind::CannotOpen`] with the reason and what to do; nothing is changed then.
    pub async fn open(
        location: &PostgresLocation,
        settings: PostgresSettings,
    ) -> Result<Arc<Self>> {
        let settings = location.apply(settings);
        let connections = StoreConnections::new(location, &settings)?;
        let failed = |error| did_not_open(location, error);
        let mut connection =
            connections.first().await.map_err(|error| did_not_connect(location, error))?;
        let transaction = connection.build_transaction().start().await.map_err(failed)?;
        let (version, encoding, is_replica) = server(&transaction).await.map_err(failed)?;
        check_server(location, (version, &encoding, is_replica))?;
        prepare(&transaction, location, &settings).await?;
        let lease = StoreLease::take(&transaction, location, &settings).await?;
        let stamps = newest_stamps(&transaction, &location.schema).await.map_err(failed)?;
        transaction.commit().await.map_err(failed)?;
        drop(connection);
        let last_stamps = LastStamps::new();
        for (shard, stamp) in stamps {
            last_stamps.publish(shard, stamp);
        }
        let sql = SqlTexts::new(&location.schema, settings.distribution);
        let tls = tls(location)?;
        let inner =
            PostgresInner::new(location.clone(), connections, (sql, tls), lease, last_stamps);
        let inner = Arc::new(inner);
        tokio::spawn(renew(Arc::downgrade(&inner), inner.lease.renew_every()));
        Ok(Arc::new(Self { inner }))
    }

    /// The process that has a store open; `None` if there is none, or no store.
    ///
    /// # Errors
    /// [`storage::ErrorKind::CannotOpen`] if the server cannot be asked.
    pub async fn owner(location: &PostgresLocation) -> Result<Option<StoreOwner>> {
        let settings = PostgresSettings { exclusive_connections: 2, ..PostgresSettings::default() };
        let connections = StoreConnections::new(location, &location.apply(settings))?;
        let mut connection =
            connections.first().await.map_err(|error| did_not_connect(location, error))?;
        let failed = |error| did_not_open(location, error);
        let transaction =
            connection.build_transaction().read_only(true).start().await.map_err(failed)?;
        let found = "SELECT to_regclass($1 || '.owner') IS NOT NULL";
        let found = transaction.query_one(found, &[&location.schema]).await.map_err(failed)?;
        if !found.try_get::<_, bool>(0).map_err(failed)? {
            return Ok(None);
        }
        current_owner(&transaction, &location.schema).await.map_err(failed)
    }
}

async fn server(transaction: &Transaction<'_>) -> DriverResult<(i32, String, bool)> {
    let text = "SELECT current_setting('server_version_num')::int, current_setting('server_encoding'), \
                pg_is_in_recovery()";
    let row = transaction.query_one(text, &[]).await?;
    Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))
}

async fn newest_stamps(
    transaction: &Transaction<'_>,
    schema: &str,
) -> DriverResult<Vec<(Shard, Stamp)>> {
    let rows = transaction.query(&format!("SELECT shard, stamp FROM {schema}.shard"), &[]).await?;
    let pair = |row: &tokio_postgres::Row| {
        let (shard, stamp): (i32, i64) = (row.try_get(0)?, row.try_get(1)?);
        Ok((Shard(shard.cast_unsigned()), Stamp(stamp.cast_unsigned())))
    };
    rows.iter().map(pair).collect()
}

/// Renews the lease until the store is closed, dropped or taken over.
async fn renew(inner: std::sync::Weak<PostgresInner>, every: Duration) {
    loop {
        tokio::time::sleep(every).await;
        loop {
            let Some(inner) = inner.upgrade() else { return };
            if inner.is_closed() || inner.lease.is_lost() {
                return;
            }
            if inner.renew_lease().await {
                break;
            }
            tokio::time::sleep(RENEW_AGAIN).await;
        }
    }
}
