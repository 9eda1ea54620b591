//! Row level security: the database itself refuses rows of other tenants. Off by default.
//!
//! Owns what makes it effective: it applies to the owner of the tables too, covers writes, and reads the tenant of the
//! transaction, without which there are no rows. The program connects as a role that does not own the tables.

use crate::error::{Error, Result};

use super::schema::PostgresSchema;
use super::storage::pool_failed;

const TABLES: [&str; 3] = ["events", "tags", "multi_projection_states"];

impl PostgresSchema {
    /// Turns row level security on, for programs that connect as `role`. The role must exist, and be neither superuser
    /// nor owner.
    ///
    /// # Errors
    /// `Invalid` for a name that is no word; those of the server.
    pub async fn enable_row_level_security(&self, role: &str) -> Result<()> {
        let is_word = !role.is_empty()
            && role.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_word {
            return Err(Error::invalid("the name of a role has letters, digits and '_'"));
        }
        let mut statements = String::from("BEGIN; ");
        for table in TABLES {
            statements.push_str(&format!(
                "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY; \
                 ALTER TABLE {table} FORCE ROW LEVEL SECURITY; \
                 DROP POLICY IF EXISTS service_isolation ON {table}; \
                 CREATE POLICY service_isolation ON {table} \
                   USING (service_id = current_setting('app.service_id', true)) \
                   WITH CHECK (service_id = current_setting('app.service_id', true)); \
                 GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO \"{role}\"; "
            ));
        }
        statements.push_str("COMMIT");
        let client = self.pool.get().await.map_err(pool_failed)?;
        Ok(client.batch_execute(&statements).await?)
    }

    /// Turns row level security off.
    ///
    /// # Errors
    /// Those of the server.
    pub async fn disable_row_level_security(&self) -> Result<()> {
        let mut statements = String::from("BEGIN; ");
        for table in TABLES {
            statements.push_str(&format!(
                "DROP POLICY IF EXISTS service_isolation ON {table}; \
                 ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY; \
                 ALTER TABLE {table} DISABLE ROW LEVEL SECURITY; "
            ));
        }
        statements.push_str("COMMIT");
        let client = self.pool.get().await.map_err(pool_failed)?;
        Ok(client.batch_execute(&statements).await?)
    }
}
