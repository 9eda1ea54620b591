//! Makes the tables of a store, or brings older ones up to date, and refuses everything else.
//!
//! Owns the order: one process at a time, in one transaction, so that a failure leaves the database as it was. A newer
//! format, a schema of something else and an unfit server are refused before anything is changed. Does not own the
//! lease.

use storage::{Error, Result};
use tokio_postgres::Transaction;

use super::distribute::{distribute, require_extension};
use crate::error::{cannot_open, did_not_open};
use crate::location::PostgresLocation;
use crate::settings::{Distribution, PostgresSettings};
use crate::sql::{HEAD_BYTES, KEY_BYTES_MAX};

/// The version of the tables.
pub const FORMAT_VERSION: i32 = 1;

const PRODUCT: &str = "planisphere";
/// LZ4, and functions that the statements use.
const SERVER_VERSION_MIN: i32 = 140_000;
/// The text of each version; version `n` is at place `n - 1`.
const STEPS: [&str; FORMAT_VERSION as usize] = [include_str!("version_1.sql")];

/// What is in the schema before anything is done.
enum SchemaContent {
    Missing,
    Empty,
    Store { version: i32, distribution: String },
    Foreign(String),
}

/// Refuses a server that cannot hold a store.
pub(crate) fn check_server(
    location: &PostgresLocation,
    (version, encoding, is_replica): (i32, &str, bool),
) -> Result<()> {
    if version < SERVER_VERSION_MIN {
        let found = version / 10_000;
        let reason = format!("the server is PostgreSQL {found}; version 14 or newer is needed");
        return Err(cannot_open(location, &reason));
    }
    if encoding != "UTF8" {
        let reason = format!(
            "the database has the encoding {encoding}; create one with UTF8 (createdb -E UTF8 -T template0)"
        );
        return Err(cannot_open(location, &reason));
    }
    if is_replica {
        let reason = "the server accepts no writes: it is a replica; give the address of the primary, or all hosts";
        return Err(cannot_open(location, reason));
    }
    Ok(())
}

/// Brings the schema to the present version inside a transaction.
pub(crate) async fn prepare(
    transaction: &Transaction<'_>,
    location: &PostgresLocation,
    settings: &PostgresSettings,
) -> Result<()> {
    let failed = |error| did_not_open(location, error);
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended('planisphere ' || $1, 0))";
    // Until the transaction ends: a second process that opens the store waits here, and finds it finished.
    transaction.execute(lock, &[&location.schema]).await.map_err(failed)?;
    let wanted = distribution_name(settings.distribution);
    let version = match content(transaction, location).await.map_err(failed)? {
        SchemaContent::Foreign(name) => return Err(foreign(location, &name)),
        SchemaContent::Store { version, distribution } => {
            refuse_other(location, version, &distribution, wanted)?;
            version
        }
        SchemaContent::Missing | SchemaContent::Empty if !settings.creates => {
            let reason =
                "it does not contain a store; check the database and the parameter schema=...";
            return Err(cannot_open(location, reason));
        }
        SchemaContent::Missing => {
            let create = format!("CREATE SCHEMA {}", location.schema);
            transaction.batch_execute(&create).await.map_err(failed)?;
            0
        }
        SchemaContent::Empty => 0,
    };
    if version == FORMAT_VERSION {
        return Ok(());
    }
    if settings.distribution == Distribution::Citus {
        require_extension(transaction, location).await?;
    }
    for step in STEPS.iter().skip(usize::try_from(version).unwrap_or(0)) {
        transaction.batch_execute(&text(step, &location.schema)).await.map_err(failed)?;
    }
    if version == 0 {
        record(transaction, location, wanted).await.map_err(failed)?;
        compress(transaction, location).await.map_err(failed)?;
        if settings.distribution == Distribution::Citus {
            distribute(transaction, &location.schema).await.map_err(failed)?;
        }
    }
    let update = format!("UPDATE {}.format SET version = $1", location.schema);
    transaction.execute(&update, &[&FORMAT_VERSION]).await.map_err(failed)?;
    Ok(())
}

fn text(step: &str, schema: &str) -> String {
    step.replace("{schema}", schema)
        .replace("{key_bytes_max}", &KEY_BYTES_MAX.to_string())
        .replace("{head_bytes}", &HEAD_BYTES.to_string())
}

async fn content(
    transaction: &Transaction<'_>,
    location: &PostgresLocation,
) -> std::result::Result<SchemaContent, tokio_postgres::Error> {
    let schema = &location.schema;
    let found =
        transaction.query_opt("SELECT oid FROM pg_namespace WHERE nspname = $1", &[schema]).await?;
    if found.is_none() {
        return Ok(SchemaContent::Missing);
    }
    let columns = "SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 \
                   AND attname IN ('product', 'version', 'distribution')";
    let marker = format!("{schema}.format");
    let columns: i64 = transaction.query_one(columns, &[&marker]).await?.try_get(0)?;
    if columns == 3 {
        let read =
            format!("SELECT product::text, version::int, distribution::text FROM {schema}.format");
        let row = transaction.query_opt(&read, &[]).await?;
        if let Some(row) = row
            && row.try_get::<_, &str>(0)? == PRODUCT
        {
            let distribution = row.try_get(2)?;
            return Ok(SchemaContent::Store { version: row.try_get(1)?, distribution });
        }
        return Ok(SchemaContent::Foreign(marker));
    }
    let anything = "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                    WHERE n.nspname = $1 ORDER BY 1 LIMIT 1";
    match transaction.query_opt(anything, &[schema]).await? {
        Some(row) => Ok(SchemaContent::Foreign(row.try_get(0)?)),
        None => Ok(SchemaContent::Empty),
    }
}

fn refuse_other(
    location: &PostgresLocation,
    version: i32,
    distribution: &str,
    wanted: &str,
) -> Result<()> {
    if version > FORMAT_VERSION {
        let reason = format!(
            "it was written in format version {version} by a newer version of the program, \
             but this one supports {FORMAT_VERSION}; open it with the newer version"
        );
        return Err(cannot_open(location, &reason));
    }
    if distribution != wanted {
        let parameter =
            if distribution == "citus" { "add citus=on to" } else { "remove citus=on from" };
        let reason = format!("its tables are made for {distribution:?}; {parameter} the address");
        return Err(cannot_open(location, &reason));
    }
    Ok(())
}

fn foreign(location: &PostgresLocation, name: &str) -> Error {
    let schema = &location.schema;
    let reason = format!(
        "the schema {schema} holds something else ({name}), so it is not a store; \
         choose another one with the parameter schema=..."
    );
    cannot_open(location, &reason)
}

async fn record(
    transaction: &Transaction<'_>,
    location: &PostgresLocation,
    distribution: &str,
) -> std::result::Result<(), tokio_postgres::Error> {
    let schema = &location.schema;
    let create = format!(
        "CREATE TABLE {schema}.format (product text NOT NULL, version int NOT NULL, distribution text NOT NULL); \
         COMMENT ON SCHEMA {schema} IS 'A store of Planisphere. Only its program may write here.'"
    );
    transaction.batch_execute(&create).await?;
    let insert = format!("INSERT INTO {schema}.format VALUES ($1, $2, $3)");
    transaction.execute(&insert, &[&PRODUCT, &FORMAT_VERSION, &distribution]).await?;
    Ok(())
}

/// Large values are compressed with LZ4 where the server has it: faster than its own method.
async fn compress(
    transaction: &Transaction<'_>,
    location: &PostgresLocation,
) -> std::result::Result<(), tokio_postgres::Error> {
    let has_lz4 = "SELECT 1 FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)";
    if transaction.query_opt(has_lz4, &[]).await?.is_none() {
        return Ok(());
    }
    let schema = &location.schema;
    let alter = ["entry", "long_entry"].map(|table| {
        format!("ALTER TABLE {schema}.{table} ALTER COLUMN value SET COMPRESSION lz4;")
    });
    transaction.batch_execute(&alter.concat()).await
}

fn distribution_name(distribution: Distribution) -> &'static str {
    match distribution {
        Distribution::OneServer => "one server",
        Distribution::Citus => "citus",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfit_server_is_refused_with_its_reason() {
        let location = PostgresLocation::parse("postgres://h/d").unwrap();
        assert!(check_server(&location, (150_018, "UTF8", false)).is_ok());
        for (server, reason) in [
            ((130_012, "UTF8", false), "PostgreSQL 13; version 14 or newer"),
            ((150_018, "LATIN1", false), "the encoding LATIN1"),
            ((150_018, "UTF8", true), "it is a replica"),
        ] {
            let error = check_server(&location, server).unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
    }
}
