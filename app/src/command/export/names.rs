//! Which container a command is about.

use clap::Args;
use client::{Account, Container};
use engine::ContainerLink;

use crate::failure::Failure;

/// Which container.
#[derive(Debug, Args)]
pub(crate) struct Names {
    /// Name of the database
    #[arg(long, value_name = "NAME")]
    database: String,

    /// Name of the container
    #[arg(long, value_name = "NAME")]
    container: String,
}

impl Names {
    pub(crate) fn link(&self) -> Result<ContainerLink, Failure> {
        ContainerLink::new(&self.database, &self.container).map_err(|invalid| {
            Failure::new("reading the names", invalid.message().trim_end_matches('.'))
                .way_out("give the names as they were when the container was created")
        })
    }

    /// Both names, as `database/container`.
    pub(crate) fn path(&self) -> Result<String, Failure> {
        Ok(self.link()?.to_string())
    }

    /// The container in an account.
    pub(crate) fn container(&self, account: &Account) -> Result<Container, Failure> {
        let container = account
            .database(&self.database)
            .and_then(|database| database.container(&self.container));
        container.map_err(|error| Failure::of("reading the names", &error))
    }
}
