//! The tables on the workers of Citus.
//!
//! Owns the distribution: all tables by shard and colocated, and the commit function with them, so that it runs on the
//! worker that owns the rows and no commit spans two servers. Does not own adding workers: see the guide.

use storage::Result;
use tokio_postgres::Transaction;

use crate::error::{cannot_open, did_not_open};
use crate::location::PostgresLocation;

/// Refuses a server without the extension.
pub(crate) async fn require_extension(
    transaction: &Transaction<'_>,
    location: &PostgresLocation,
) -> Result<()> {
    let found = "SELECT 1 FROM pg_extension WHERE extname = 'citus'";
    let found = transaction.query_opt(found, &[]).await;
    if found.map_err(|error| did_not_open(location, error))?.is_some() {
        return Ok(());
    }
    let reason = "the address has citus=on, but the database lacks the extension citus; \
                  let an administrator run CREATE EXTENSION citus, or remove the parameter";
    Err(cannot_open(location, reason))
}

pub(crate) async fn distribute(
    transaction: &Transaction<'_>,
    schema: &str,
) -> std::result::Result<(), tokio_postgres::Error> {
    let text = format!(
        "SELECT create_distributed_table('{schema}.shard', 'shard', colocate_with => 'none'); \
         SELECT create_distributed_table('{schema}.entry', 'shard', colocate_with => '{schema}.shard'); \
         SELECT create_distributed_table('{schema}.long_entry', 'shard', colocate_with => '{schema}.shard'); \
         SELECT create_reference_table('{schema}.owner'); \
         SELECT create_distributed_function(oid::regprocedure, 'p_shard', colocate_with => '{schema}.shard') \
           FROM pg_proc WHERE pronamespace = '{schema}'::regnamespace AND proname = 'commit'"
    );
    transaction.batch_execute(&text).await
}
