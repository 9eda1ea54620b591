//! What concerns several tenants. With row level security the connection needs a role that it does not apply to.

use async_trait::async_trait;

use crate::error::Result;
use crate::service_id::ServiceId;
use crate::storage::{AdminStorage, RepairReport};

use super::sql;
use super::storage::{PostgresStorage, begin};

#[async_trait]
impl AdminStorage for PostgresStorage {
    async fn services(&self) -> Result<Vec<ServiceId>> {
        let connection = self.connection().await?;
        let statement = connection.prepare_cached(sql::TENANTS).await?;
        let rows = connection.query(&statement, &[]).await?;
        rows.iter().map(|row| Ok(ServiceId::parse(row.try_get(0)?)?)).collect()
    }

    async fn drop_service(&self, service: &ServiceId) -> Result<u64> {
        let mut connection = self.connection().await?;
        let transaction = begin(&mut connection, service).await?;
        let mut deleted = 0;
        for statement in sql::DROP_TENANT {
            let statement = transaction.prepare_cached(statement).await?;
            deleted += transaction.execute(&statement, &[&service.as_str()]).await?;
        }
        transaction.commit().await?;
        Ok(deleted)
    }

    async fn repair(&self, is_dry_run: bool) -> Result<RepairReport> {
        let connection = self.connection().await?;
        let tags: i64 = connection.query_one(sql::TAG_TOTAL, &[]).await?.try_get(0)?;
        // An append is one transaction, so only another program can have left out a row.
        let restored = if is_dry_run {
            let missing: i64 = connection.query_one(sql::MISSING_ROWS, &[]).await?.try_get(0)?;
            u64::try_from(missing).unwrap_or_default()
        } else {
            connection.execute(sql::RESTORE_ROWS, &[]).await?
        };
        Ok(RepairReport {
            tags_checked: u64::try_from(tags).unwrap_or_default(),
            rows_restored: restored,
            ..RepairReport::default()
        })
    }
}
