//! States of projections on PostgreSQL: one row per projector and version.

use async_trait::async_trait;
use tokio_postgres::Row;

use crate::error::{Error, ErrorKind, Result};
use crate::service_id::ServiceId;
use crate::storage::{SaveMode, StateData, StateStorage, StoredProjectionState, newest_first};

use super::append::ms;
use super::read::time;
use super::sql;
use super::storage::{PostgresStorage, begin};

#[async_trait]
impl StateStorage for PostgresStorage {
    async fn save(
        &self,
        service: &ServiceId,
        state: &StoredProjectionState,
        mode: SaveMode,
    ) -> Result<u64> {
        let (data, key, provider) = match &state.data {
            StateData::Inline(bytes) => (Some(bytes.as_slice()), None, None),
            StateData::Offloaded { key, provider } => (None, Some(key), Some(provider)),
        };
        let expected = match mode {
            SaveMode::Replace => None,
            SaveMode::IfRevision(revision) => Some(number(revision)),
        };
        let mut connection = self.connection().await?;
        let transaction = begin(&mut connection, service).await?;
        let statement = transaction.prepare_cached(sql::SAVE_STATE).await?;
        let saved = transaction
            .query_opt(
                &statement,
                &[
                    &service.as_str(),
                    &state.projector_name,
                    &state.projector_version,
                    &state.payload_type,
                    &state.last_sortable_unique_id,
                    &state.safe_window_threshold,
                    &state.build_source,
                    &state.build_host,
                    &number(state.events_processed),
                    &number(state.original_size_bytes),
                    &number(state.compressed_size_bytes),
                    &ms(state.created_at),
                    &ms(state.updated_at),
                    &data,
                    &key,
                    &provider,
                    &expected,
                ],
            )
            .await?;
        let revision: Option<i64> = saved.map(|row| row.try_get(0)).transpose()?;
        // A first row that was to replace one is not committed.
        match (revision, expected) {
            (Some(revision), None) => {
                transaction.commit().await?;
                Ok(count(revision))
            }
            (Some(revision), Some(expected)) if revision == expected + 1 => {
                transaction.commit().await?;
                Ok(count(revision))
            }
            _ => {
                let name = &state.projector_name;
                let message =
                    format!("somebody else has saved the state of '{name}'; read it again");
                Err(Error::new(ErrorKind::Conflict, message))
            }
        }
    }

    async fn state(
        &self,
        service: &ServiceId,
        name: &str,
        version: &str,
    ) -> Result<Option<StoredProjectionState>> {
        let mut connection = self.connection().await?;
        let transaction = begin(&mut connection, service).await?;
        let statement = transaction.prepare_cached(sql::STATE).await?;
        let row = transaction.query_opt(&statement, &[&service.as_str(), &name, &version]).await?;
        row.as_ref().map(state_of_row).transpose()
    }

    async fn states(
        &self,
        service: &ServiceId,
        name: Option<&str>,
    ) -> Result<Vec<StoredProjectionState>> {
        let mut connection = self.connection().await?;
        let transaction = begin(&mut connection, service).await?;
        let statement = transaction.prepare_cached(sql::STATES).await?;
        let rows = transaction.query(&statement, &[&service.as_str(), &name]).await?;
        let mut states: Vec<_> = rows.iter().map(state_of_row).collect::<Result<_>>()?;
        newest_first(&mut states);
        Ok(states)
    }

    async fn delete(&self, service: &ServiceId, name: &str, version: &str) -> Result<bool> {
        let mut connection = self.connection().await?;
        let transaction = begin(&mut connection, service).await?;
        let statement = transaction.prepare_cached(sql::DELETE_STATE).await?;
        let deleted =
            transaction.execute(&statement, &[&service.as_str(), &name, &version]).await?;
        transaction.commit().await?;
        Ok(deleted > 0)
    }
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

fn state_of_row(row: &Row) -> Result<StoredProjectionState> {
    let data: Option<Vec<u8>> = row.try_get(13)?;
    let data = match (data, row.try_get(14)?, row.try_get(15)?) {
        (Some(bytes), _, _) => StateData::Inline(bytes),
        (None, Some(key), Some(provider)) => StateData::Offloaded { key, provider },
        _ => return Err(Error::corrupt("a state has neither data nor the key of an object")),
    };
    Ok(StoredProjectionState {
        projector_name: row.try_get(0)?,
        projector_version: row.try_get(1)?,
        payload_type: row.try_get(2)?,
        last_sortable_unique_id: row.try_get(3)?,
        safe_window_threshold: row.try_get(4)?,
        build_source: row.try_get(5)?,
        build_host: row.try_get(6)?,
        events_processed: count(row.try_get(7)?),
        original_size_bytes: count(row.try_get(8)?),
        compressed_size_bytes: count(row.try_get(9)?),
        revision: count(row.try_get(10)?),
        created_at: time(row.try_get(11)?),
        updated_at: time(row.try_get(12)?),
        data,
    })
}
