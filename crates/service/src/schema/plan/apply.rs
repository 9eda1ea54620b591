//! Doing what a plan says.
//!
//! Owns the order (databases, then what is in them) and that a plan with obstacles does nothing. A plan that was cut
//! short is finished by making it again: what is done is no longer in it.

use std::fmt;

use client::{Account, Container, Result};

use super::step::{Plan, Step};
use crate::schema::declaration::Schema;

/// Why a schema was not applied.
#[derive(Debug)]
pub enum SchemaError {
    /// Something differs that cannot be changed; nothing was done.
    Refused(Box<Plan>),
    /// The account failed; what was done before it stays.
    Account {
        /// What was being done.
        doing: String,
        /// Why it failed.
        error: client::Error,
    },
}

impl Schema {
    /// Makes an account as this schema says, and gives what was done. Applied again, it does nothing.
    ///
    /// # Errors
    /// [`SchemaError::Refused`] when something cannot be changed, [`SchemaError::Account`] when the account fails.
    pub async fn apply(&self, account: &Account) -> std::result::Result<Plan, SchemaError> {
        let plan = self.plan(account).await.map_err(|error| SchemaError::Account {
            doing: "comparing the account with the schema".to_owned(),
            error,
        })?;
        plan.apply(account, |_| {}).await?;
        Ok(plan)
    }
}

impl Plan {
    /// Does all steps, and tells of each one that is done.
    ///
    /// # Errors
    /// [`SchemaError::Refused`] when there are obstacles, [`SchemaError::Account`] when the account fails.
    pub async fn apply(
        &self,
        account: &Account,
        mut done: impl FnMut(&Step),
    ) -> std::result::Result<(), SchemaError> {
        if !self.obstacles.is_empty() {
            return Err(SchemaError::Refused(Box::new(self.clone())));
        }
        for step in &self.steps {
            step.apply(account).await.map_err(|error| {
                let doing = step.to_string().trim_start_matches(['+', '~', ' ']).to_owned();
                SchemaError::Account { doing, error }
            })?;
            done(step);
        }
        Ok(())
    }
}

impl Step {
    async fn apply(&self, account: &Account) -> Result<()> {
        match self {
            Self::CreateDatabase { database, throughput } => {
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

impl fmt::Display for SchemaError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(plan) => {
                let what =
                    plan.obstacles.iter().map(|one| format!("{} of {}", one.what, one.thing));
                let what = what.collect::<Vec<_>>().join(", ");
                write!(formatter, "nothing was applied, because this cannot be changed: {what}")
            }
            Self::Account { doing, error } => write!(formatter, "{doing}: {error}"),
        }
    }
}

impl std::error::Error for SchemaError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(_) => None,
            Self::Account { error, .. } => Some(error),
        }
    }
}
