//! Applying a plan.
//!
//! Owns the order (databases before their containers), and that a plan with obstacles changes nothing. There is no
//! rollback: an interrupted plan is completed by planning again, because the finished steps are no longer part of the
//! new plan.

use std::fmt;

use client::{Account, Container, Result};

use super::step::{SchemaPlan, SchemaStep};
use crate::schema::declaration::Schema;

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
}

impl Schema {
    /// Makes an account match this schema and returns the plan that was applied. Applied again, it does nothing.
    ///
    /// # Errors
    /// [`SchemaApplyError::Refused`] when something cannot be changed, [`SchemaApplyError::Account`] when the account
    /// fails.
    pub async fn apply(
        &self,
        account: &Account,
    ) -> std::result::Result<SchemaPlan, SchemaApplyError> {
        let plan = self.plan(account).await.map_err(|error| SchemaApplyError::Account {
            doing: "comparing the account with the schema".to_owned(),
            error,
        })?;
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
        mut done: impl FnMut(&SchemaStep),
    ) -> std::result::Result<(), SchemaApplyError> {
        // Checked before the first step, so that a plan is applied completely or not at all, apart from failures of
        // the account.
        if !self.obstacles.is_empty() {
            return Err(SchemaApplyError::Refused(Box::new(self.clone())));
        }
        for step in &self.steps {
            step.apply(account).await.map_err(|error| {
                let doing = step.to_string().trim_start_matches(['+', '~', ' ']).to_owned();
                SchemaApplyError::Account { doing, error }
            })?;
            done(step);
        }
        Ok(())
    }
}

impl SchemaStep {
    async fn apply(&self, account: &Account) -> Result<()> {
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
        }
        Ok(())
    }
}

fn handle(account: &Account, database: &str, container: &str) -> Result<Container> {
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
        }
    }
}

impl std::error::Error for SchemaApplyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(_) => None,
            Self::Account { error, .. } => Some(error),
        }
    }
}
