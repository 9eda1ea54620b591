//! A plain table of events in PostgreSQL, as somebody would write it in an afternoon: no tenants, tags in an array.

use std::time::Duration;

use async_trait::async_trait;
use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime};
use tokio_postgres::NoTls;

use super::store::{LoadedStore, PAYLOAD};
use crate::Result;

const CONNECTIONS: usize = 60;
const TABLE: &str = "CREATE TABLE plain_events (position bigserial PRIMARY KEY, \
       id uuid NOT NULL DEFAULT gen_random_uuid(), event_type text NOT NULL, payload json NOT NULL, \
       tags text[] NOT NULL, timestamp timestamptz NOT NULL DEFAULT now()); \
     CREATE INDEX plain_events_tags ON plain_events USING gin (tags)";
const INSERT: &str = "INSERT INTO plain_events (event_type, payload, tags) \
     SELECT 'Measured', $1::text::json, $2::text[] FROM generate_series(1, $3::int)";
const INSERT_TAGGED: &str = "INSERT INTO plain_events (event_type, payload, tags) \
     SELECT 'Measured', $1::text::json, ARRAY[tag] FROM unnest($2::text[]) AS tag";
const OF_TAG: &str = "SELECT position, payload::text FROM plain_events WHERE tags @> ARRAY[$1::text] ORDER BY position";
const NEWEST: &str =
    "SELECT coalesce(max(position), 0) FROM plain_events WHERE tags @> ARRAY[$1::text]";
const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
const INSERT_IF: &str = "INSERT INTO plain_events (event_type, payload, tags) \
     SELECT 'Measured', $2::text::json, ARRAY[$1::text] \
     WHERE NOT EXISTS (SELECT 1 FROM plain_events WHERE tags @> ARRAY[$1::text] AND position > $3)";
const PAGE: &str = "SELECT position, event_type, payload::text, tags FROM plain_events \
     WHERE position > $1 ORDER BY position LIMIT 1000";

pub(super) struct PlainTable {
    pool: Pool,
}

impl PlainTable {
    pub(super) async fn create(address: &str) -> Result<Self> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(address.parse()?, NoTls, recycling);
        let pool = Pool::builder(manager).max_size(CONNECTIONS).runtime(Runtime::Tokio1).build()?;
        let table = Self { pool };
        table.connection().await?.batch_execute(TABLE).await?;
        Ok(table)
    }

    async fn connection(&self) -> Result<Object> {
        Ok(self.pool.get().await?)
    }
}

#[async_trait]
impl LoadedStore for PlainTable {
    async fn append(&self, events: usize, tags: &[String]) -> Result<()> {
        let connection = self.connection().await?;
        let statement = connection.prepare_cached(INSERT).await?;
        let events = i32::try_from(events)?;
        connection.execute(&statement, &[&PAYLOAD, &tags, &events]).await?;
        Ok(())
    }

    async fn append_if_unchanged(&self, tag: &str) -> Result<bool> {
        let mut connection = self.connection().await?;
        let newest = connection.prepare_cached(NEWEST).await?;
        let seen: i64 = connection.query_one(&newest, &[&tag]).await?.try_get(0)?;
        let transaction = connection.transaction().await?;
        let lock = transaction.prepare_cached(LOCK).await?;
        transaction.query(&lock, &[&tag]).await?;
        let insert = transaction.prepare_cached(INSERT_IF).await?;
        let done = transaction.execute(&insert, &[&tag, &PAYLOAD, &seen]).await?;
        transaction.commit().await?;
        Ok(done == 1)
    }

    async fn append_tagged(&self, tags: &[String]) -> Result<()> {
        let connection = self.connection().await?;
        let statement = connection.prepare_cached(INSERT_TAGGED).await?;
        connection.execute(&statement, &[&PAYLOAD, &tags]).await?;
        Ok(())
    }

    async fn read_tag(&self, tag: &str) -> Result<usize> {
        let connection = self.connection().await?;
        let statement = connection.prepare_cached(OF_TAG).await?;
        Ok(connection.query(&statement, &[&tag]).await?.len())
    }

    async fn read_all(&self) -> Result<usize> {
        let connection = self.connection().await?;
        let statement = connection.prepare_cached(PAGE).await?;
        let (mut count, mut after) = (0, 0_i64);
        loop {
            let rows = connection.query(&statement, &[&after]).await?;
            let Some(last) = rows.last() else { return Ok(count) };
            after = last.try_get(0)?;
            count += rows.len();
        }
    }

    async fn project(&self) -> Result<Option<usize>> {
        Ok(None)
    }

    async fn live(&self, _: usize) -> Result<Option<Vec<Duration>>> {
        Ok(None)
    }
}
