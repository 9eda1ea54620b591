//! The tables, in steps.
//!
//! Owns the order: the first step makes the tables of a single-tenant program if there are none, the later ones add the
//! tenant while such a program goes on writing. Columns come with a constant default, which rewrites nothing; indexes
//! are built beside the writers; constraints are exchanged in short transactions that give up when they cannot get
//! their lock, and are tried again. A step may be interrupted anywhere and repeated.

use std::time::Duration;

use deadpool_postgres::Pool;
use serde::Serialize;
use tokio_postgres::Client;

use crate::error::{Error, ErrorKind, Result};

use super::storage::{PostgresOptions, pool_failed};

/// Tries to get a lock for an exchange of constraints; each waits for a second.
const EXCHANGE_TRIES: u32 = 60;

/// The tables of the provider.
pub struct PostgresSchema {
    pub(super) pool: Pool,
}

/// What a migration did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SchemaReport {
    /// The steps that were taken.
    pub applied: Vec<String>,
    /// Indexes that the seed names and that others make redundant; an operator may drop them.
    pub droppable: Vec<String>,
}

enum TableStep {
    /// Statements of one transaction.
    Run(&'static str),
    /// An index, built beside the writers.
    Index { name: &'static str, build: &'static str },
    /// An exchange of constraints in a short transaction.
    Exchange(&'static str),
}

const STEPS: &[(&str, TableStep)] = &[
    (
        "tables",
        TableStep::Run(
            "CREATE TABLE IF NOT EXISTS events (id uuid NOT NULL CONSTRAINT events_pkey PRIMARY KEY, \
               sortable_unique_id varchar(100) NOT NULL, event_type text NOT NULL, payload json NOT NULL, \
               tags jsonb NOT NULL, timestamp timestamptz NOT NULL, causation_id text, correlation_id text, \
               executed_user text); \
             CREATE TABLE IF NOT EXISTS tags (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, \
               tag text NOT NULL, tag_group text NOT NULL, event_type text NOT NULL, \
               sortable_unique_id varchar(100) NOT NULL, event_id uuid NOT NULL, created_at timestamptz NOT NULL); \
             CREATE TABLE IF NOT EXISTS multi_projection_states (projector_name text NOT NULL, \
               projector_version text NOT NULL, payload_type text NOT NULL, last_sortable_unique_id text NOT NULL, \
               safe_window_threshold text NOT NULL, build_source text NOT NULL, build_host text, \
               events_processed bigint NOT NULL, original_size_bytes bigint NOT NULL, \
               compressed_size_bytes bigint NOT NULL, is_offloaded boolean NOT NULL, state_data bytea, \
               offload_key text, offload_provider text, created_at timestamptz NOT NULL, \
               updated_at timestamptz NOT NULL, \
               CONSTRAINT multi_projection_states_pkey PRIMARY KEY (projector_name, projector_version), \
               CONSTRAINT multi_projection_states_data CHECK ((state_data IS NULL) <> (offload_key IS NULL)))",
        ),
    ),
    (
        "columns",
        TableStep::Exchange(
            "ALTER TABLE events ADD COLUMN IF NOT EXISTS service_id text NOT NULL DEFAULT 'default', \
               ADD COLUMN IF NOT EXISTS event_version int NOT NULL DEFAULT 1, \
               ADD COLUMN IF NOT EXISTS transaction_id xid8 NOT NULL DEFAULT '0'::xid8; \
             ALTER TABLE events ALTER COLUMN transaction_id SET DEFAULT pg_current_xact_id(); \
             ALTER TABLE tags ADD COLUMN IF NOT EXISTS service_id text NOT NULL DEFAULT 'default'; \
             ALTER TABLE multi_projection_states \
               ADD COLUMN IF NOT EXISTS service_id text NOT NULL DEFAULT 'default', \
               ADD COLUMN IF NOT EXISTS revision bigint NOT NULL DEFAULT 1",
        ),
    ),
    (
        "events key index",
        TableStep::Index {
            name: "events_service_id_id_key",
            build: "CREATE UNIQUE INDEX CONCURRENTLY events_service_id_id_key ON events (service_id, id)",
        },
    ),
    (
        "events key",
        TableStep::Exchange(
            "ALTER TABLE events DROP CONSTRAINT events_pkey; \
             ALTER TABLE events ADD CONSTRAINT events_pkey PRIMARY KEY USING INDEX events_service_id_id_key",
        ),
    ),
    (
        "states key index",
        TableStep::Index {
            name: "states_service_id_key",
            build: "CREATE UNIQUE INDEX CONCURRENTLY states_service_id_key \
                    ON multi_projection_states (service_id, projector_name, projector_version)",
        },
    ),
    (
        "states key",
        TableStep::Exchange(
            "ALTER TABLE multi_projection_states DROP CONSTRAINT multi_projection_states_pkey; \
             ALTER TABLE multi_projection_states ADD CONSTRAINT multi_projection_states_pkey \
               PRIMARY KEY USING INDEX states_service_id_key",
        ),
    ),
    (
        "tags unique index",
        TableStep::Index {
            name: "tags_service_id_tag_position_key",
            build: "CREATE UNIQUE INDEX CONCURRENTLY tags_service_id_tag_position_key \
                    ON tags (service_id, tag, sortable_unique_id)",
        },
    ),
    (
        "tags unique",
        TableStep::Exchange(
            "ALTER TABLE tags DROP CONSTRAINT IF EXISTS tags_tag_sortable_unique_id_key; \
             ALTER TABLE tags ADD CONSTRAINT tags_service_id_tag_position_key \
               UNIQUE USING INDEX tags_service_id_tag_position_key",
        ),
    ),
    (
        "events by tenant",
        TableStep::Index {
            name: "events_service_id_idx",
            build: "CREATE INDEX CONCURRENTLY events_service_id_idx ON events (service_id)",
        },
    ),
    (
        "events by position",
        TableStep::Index {
            name: "events_service_id_position_idx",
            build: "CREATE INDEX CONCURRENTLY events_service_id_position_idx \
                    ON events (service_id, sortable_unique_id)",
        },
    ),
    (
        "events by transaction",
        TableStep::Index {
            name: "events_service_id_transaction_idx",
            build: "CREATE INDEX CONCURRENTLY events_service_id_transaction_idx \
                    ON events (service_id, transaction_id, sortable_unique_id)",
        },
    ),
    (
        "tags by tag",
        TableStep::Index {
            name: "tags_service_id_tag_idx",
            build: "CREATE INDEX CONCURRENTLY tags_service_id_tag_idx ON tags (service_id, tag)",
        },
    ),
    (
        "states by projector",
        TableStep::Index {
            name: "states_service_id_projector_idx",
            build: "CREATE INDEX CONCURRENTLY states_service_id_projector_idx \
                    ON multi_projection_states (service_id, projector_name)",
        },
    ),
];

const DROPPABLE: [&str; 3] =
    ["events_service_id_idx", "tags_service_id_tag_idx", "states_service_id_projector_idx"];

const DOWNGRADE: &str = "ALTER TABLE events DROP CONSTRAINT events_pkey, ADD CONSTRAINT events_pkey PRIMARY KEY (id); \
     ALTER TABLE multi_projection_states DROP CONSTRAINT multi_projection_states_pkey, \
       ADD CONSTRAINT multi_projection_states_pkey PRIMARY KEY (projector_name, projector_version); \
     ALTER TABLE events DROP COLUMN service_id, DROP COLUMN transaction_id, DROP COLUMN event_version; \
     ALTER TABLE tags DROP COLUMN service_id; \
     ALTER TABLE multi_projection_states DROP COLUMN service_id, DROP COLUMN revision; \
     DROP TABLE event_store_schema";

impl PostgresSchema {
    /// The tables of a database.
    ///
    /// # Errors
    /// `Invalid` for a wrong address.
    pub fn new(options: &PostgresOptions) -> Result<Self> {
        Ok(Self { pool: options.pool()? })
    }

    /// Brings the tables up to date, while programs of the old layout go on writing. Run it before the new program.
    ///
    /// # Errors
    /// `Unavailable` if a lock cannot be had or the server cannot be reached. Run it again: it goes on.
    pub async fn migrate(&self) -> Result<SchemaReport> {
        let client = self.pool.get().await.map_err(pool_failed)?;
        // One migration at a time: two would wait for each other's locks.
        client.batch_execute("SELECT pg_advisory_lock(hashtext('event store schema'))").await?;
        let done = self.migrate_locked(&client).await;
        client.batch_execute("SELECT pg_advisory_unlock(hashtext('event store schema'))").await?;
        done
    }

    async fn migrate_locked(&self, client: &Client) -> Result<SchemaReport> {
        client
            .batch_execute(
                "CREATE TABLE IF NOT EXISTS event_store_schema (step text PRIMARY KEY, \
                   applied_at timestamptz NOT NULL DEFAULT now())",
            )
            .await?;
        let rows = client.query("SELECT step FROM event_store_schema", &[]).await?;
        let applied: Vec<String> =
            rows.iter().map(|row| Ok(row.try_get(0)?)).collect::<Result<_>>()?;
        let mut report = SchemaReport::default();
        for (name, step) in STEPS {
            if applied.iter().any(|one| one == name) {
                continue;
            }
            match step {
                TableStep::Run(statements) => exchange(client, name, statements, 1).await?,
                TableStep::Exchange(statements) => {
                    exchange(client, name, statements, EXCHANGE_TRIES).await?;
                }
                TableStep::Index { name: index, build } => {
                    build_index(client, index, build).await?;
                    let done = "INSERT INTO event_store_schema (step) VALUES ($1)";
                    client.execute(done, &[name]).await?;
                }
            }
            report.applied.push((*name).to_owned());
        }
        report.droppable = DROPPABLE.map(str::to_owned).into();
        Ok(report)
    }

    /// Takes the tenant out of the tables again.
    ///
    /// # Errors
    /// `Conflict` once another tenant than `default` has data.
    pub async fn downgrade(&self) -> Result<()> {
        let client = self.pool.get().await.map_err(pool_failed)?;
        for table in ["events", "tags", "multi_projection_states"] {
            let others = format!("SELECT 1 FROM {table} WHERE service_id <> 'default' LIMIT 1");
            if client.query_opt(&others, &[]).await?.is_some() {
                let message = format!(
                    "{table} has rows of other tenants than 'default'; drop or export them first"
                );
                return Err(Error::new(ErrorKind::Conflict, message));
            }
        }
        client.batch_execute(&format!("BEGIN; {DOWNGRADE}; COMMIT")).await?;
        Ok(())
    }
}

/// Runs statements in one transaction, with the note that the step is done.
async fn exchange(client: &Client, name: &str, statements: &str, tries: u32) -> Result<()> {
    let text = format!(
        "BEGIN; SET LOCAL lock_timeout = '1s'; {statements}; \
         INSERT INTO event_store_schema (step) VALUES ('{name}'); COMMIT"
    );
    for left in (0..tries).rev() {
        match client.batch_execute(&text).await {
            Ok(()) => return Ok(()),
            Err(error) => {
                client.batch_execute("ROLLBACK").await?;
                let has_timed_out = error.code().is_some_and(|state| state.code() == "55P03");
                if !has_timed_out || left == 0 {
                    return Err(error.into());
                }
                // Writers that queued behind us go first.
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    Ok(())
}

/// Builds an index beside the writers. One that an interrupted build has left is not valid, and is built again.
async fn build_index(client: &Client, name: &str, build: &str) -> Result<()> {
    let found = "SELECT i.indisvalid FROM pg_index i WHERE i.indexrelid = to_regclass($1)";
    match client.query_opt(found, &[&name]).await? {
        Some(row) if row.try_get::<_, bool>(0)? => return Ok(()),
        Some(_) => {
            client.batch_execute(&format!("DROP INDEX CONCURRENTLY {name}")).await?;
        }
        None => {}
    }
    Ok(client.batch_execute(build).await?)
}

impl std::fmt::Debug for PostgresSchema {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("PostgresSchema")
    }
}
