//! Applying a plan.
//!
//! Owns the order (databases before their containers), and that a plan with obstacles changes nothing. There is no
//! rollback: an interrupted plan is completed by planning again, because the finished steps are no longer part of the
//! new plan.

use std::fmt;

use async_trait::async_trait;
use client::{Account, Container, DatabaseId};
use model::ContainerId;

use super::step::{SchemaPlan, SchemaStep};
use crate::schema::declaration::Schema;
use crate::schema::script::{ScriptSchema, ScriptStore, ScriptStoreError};

/// Why a schema was not applied.
#[derive(Debug)]
pub enum SchemaApplyError {
    /// Something differs that cannot be changed; nothing was applied.
    Refused(Box<SchemaPlan>),
    /// A call failed; the steps before it stay applied.
    Account {
        /// What was being done.
        doing: String,
        /// Why it failed.
        error: client::Error,
    },
    /// Scripts could not be read or written; the steps before stay applied.
    Scripts {
        /// What was being done.
        doing: String,
        /// Why it failed.
        error: ScriptStoreError,
    },
}

impl SchemaApplyError {
    pub(super) fn comparing(error: client::Error) -> Self {
        Self::Account { doing: "comparing the account with the schema".to_owned(), error }
    }
}

impl Schema {
    /// Makes an account match this schema and returns the plan that was applied. Applied again, it does nothing.
    ///
    /// # Errors
    /// [`SchemaApplyError::Refused`] when something cannot be changed, [`SchemaApplyError::Account`] when the account
    /// fails.
    pub async fn apply(&self, account: &Account) -> Result<SchemaPlan, SchemaApplyError> {
        let plan = self.plan(account).await.map_err(SchemaApplyError::comparing)?;
        plan.apply(account, |_| {}).await?;
        Ok(plan)
    }
}

impl SchemaPlan {
    /// Applies all steps, and calls `done` after each.
    ///
    /// # Errors
    /// [`SchemaApplyError::Refused`] when there are obstacles, [`SchemaApplyError::Account`] when the account fails.
    pub async fn apply(
        &self,
        account: &Account,
        done: impl FnMut(&SchemaStep),
    ) -> Result<(), SchemaApplyError> {
        self.apply_with_scripts(account, &NoScripts, done).await
    }

    /// Applies all steps, those of scripts too, and calls `done` after each.
    ///
    /// # Errors
    /// As [`SchemaPlan::apply`]; [`SchemaApplyError::Scripts`] when the store of scripts fails.
    pub async fn apply_with_scripts(
        &self,
        account: &Account,
        store: &dyn ScriptStore,
        mut done: impl FnMut(&SchemaStep),
    ) -> Result<(), SchemaApplyError> {
        // Checked before the first step, so that a plan is applied completely or not at all, apart from failures of
        // the account.
        if !self.obstacles.is_empty() {
            return Err(SchemaApplyError::Refused(Box::new(self.clone())));
        }
        for step in &self.steps {
            let doing = || step.to_string().trim_start_matches(['+', '~', ' ']).to_owned();
            match step {
                SchemaStep::PutScript { database, container, script, .. } => {
                    let put = store.put(database, container, script).await;
                    put.map_err(|error| SchemaApplyError::Scripts { doing: doing(), error })?;
                }
                step => {
                    let applied = step.apply(account).await;
                    applied.map_err(|error| SchemaApplyError::Account { doing: doing(), error })?;
                }
            }
            done(step);
        }
        Ok(())
    }
}

impl SchemaStep {
    async fn apply(&self, account: &Account) -> client::Result<()> {
        match self {
            Self::CreateDatabase { database, throughput } => {
                // "If missing": somebody may have created it since the plan was made.
                account.database(database.as_str())?.create_if_missing(*throughput).await?;
            }
            Self::CreateContainer { database, container } => {
                let properties = container.properties().clone();
                let handle = handle(account, database.as_str(), properties.id.as_str())?;
                handle.create_if_missing(properties, container.throughput()).await?;
            }
            Self::ReplaceProperties { database, properties, .. } => {
                let handle = handle(account, database.as_str(), properties.id.as_str())?;
                handle.replace_properties(properties.as_ref().clone()).await?;
            }
            Self::ReplaceThroughput { database, container: Some(container), to, .. } => {
                let handle = handle(account, database.as_str(), container.as_str())?;
                handle.replace_throughput(*to).await?;
            }
            Self::ReplaceThroughput { database, container: None, to, .. } => {
                account.database(database.as_str())?.replace_throughput(*to).await?;
            }
            // Applied through the store of scripts.
            Self::PutScript { .. } => {}
        }
        Ok(())
    }
}

/// The scripts of a caller that has no way to them. A plan without a store has no steps for scripts.
struct NoScripts;

#[async_trait]
impl ScriptStore for NoScripts {
    async fn list(
        &self,
        _database: &DatabaseId,
        _container: &ContainerId,
    ) -> Result<Vec<ScriptSchema>, ScriptStoreError> {
        Err(ScriptStoreError::new("scripts are not read through this connection"))
    }

    async fn put(
        &self,
        _database: &DatabaseId,
        _container: &ContainerId,
        _script: &ScriptSchema,
    ) -> Result<(), ScriptStoreError> {
        Err(ScriptStoreError::new("scripts are not written through this connection"))
    }
}

fn handle(account: &Account, database: &str, container: &str) -> client::Result<Container> {
    account.database(database)?.container(container)
}

impl fmt::Display for SchemaApplyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(plan) => {
                let what = plan
                    .obstacles
                    .iter()
                    .map(|one| format!("{} of {}", one.property, one.resource));
                let what = what.collect::<Vec<_>>().join(", ");
                write!(formatter, "nothing was applied, because this cannot be changed: {what}")
            }
            Self::Account { doing, error } => write!(formatter, "{doing}: {error}"),
            Self::Scripts { doing, error } => write!(formatter, "{doing}: {error}"),
        }
    }
}

impl std::error::Error for SchemaApplyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(_) => None,
            Self::Account { error, .. } => Some(error),
            Self::Scripts { error, .. } => Some(error),
        }
    }
}
