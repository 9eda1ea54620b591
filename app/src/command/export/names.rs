//! The container of a command.

use clap::Args;
use client::{Account, Container};
use engine::ContainerLink;

use crate::error::CommandError;

/// The names of a container.
#[derive(Debug, Args)]
pub(crate) struct ContainerNames {
    /// Name of the database
    #[arg(long, value_name = "NAME")]
    database: String,

    /// Name of the container
    #[arg(long, value_name = "NAME")]
    container: String,
}

impl ContainerNames {
    pub(crate) fn link(&self) -> Result<ContainerLink, CommandError> {
        ContainerLink::new(&self.database, &self.container).map_err(|invalid| {
            CommandError::new("reading the names", invalid.message().trim_end_matches('.'))
                .hint("give the names with which the container was created")
        })
    }

    /// Both names, as `database/container`.
    pub(crate) fn path(&self) -> Result<String, CommandError> {
        Ok(self.link()?.to_string())
    }

    /// The container in an account.
    pub(crate) fn container(&self, account: &Account) -> Result<Container, CommandError> {
        let container = account
            .database(&self.database)
            .and_then(|database| database.container(&self.container));
        container.map_err(|error| CommandError::from_error("reading the names", &error))
    }
}
