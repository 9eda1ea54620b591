//! Source and target of a copy on the command line.
//!
//! A target without a location is in the account of the source.

use std::path::PathBuf;

use clap::Args;
use client::{Account, Container};

use crate::account_location::{AccountArguments, AccountLocation, MissingStore};
use crate::error::CommandError;
use crate::open::StoreFlags;

/// The source.
#[derive(Debug, Args)]
#[command(next_help_heading = "Source")]
pub(super) struct FromFlags {
    /// The container to copy
    #[arg(long, value_name = "DATABASE/CONTAINER")]
    from: String,

    /// Folder of the store that contains it
    #[arg(long, value_name = "DIR",
          conflicts_with_all = ["from_endpoint", "from_connection_string"])]
    from_data: Option<PathBuf>,

    /// Address of the server or Azure account that contains it
    #[arg(long, value_name = "URL", conflicts_with = "from_connection_string")]
    from_endpoint: Option<String>,

    /// Account key for --from-endpoint; by default the well-known key of the emulators
    #[arg(long, value_name = "KEY", requires = "from_endpoint", conflicts_with = "from_key_file")]
    from_key: Option<String>,

    /// File that contains the account key for --from-endpoint
    #[arg(long, value_name = "FILE", requires = "from_endpoint")]
    from_key_file: Option<PathBuf>,

    /// Address and key in one, 'AccountEndpoint=...;AccountKey=...;', or env:NAME for an environment variable
    #[arg(long, value_name = "TEXT")]
    from_connection_string: Option<String>,
}

/// The target.
#[derive(Debug, Args)]
#[command(next_help_heading = "Target")]
pub(super) struct ToFlags {
    /// The container to copy into; created with the properties of the source if it does not exist
    #[arg(long, value_name = "DATABASE/CONTAINER")]
    to: String,

    /// Folder of the store that contains it; by default it is in the account of the source
    #[arg(long, value_name = "DIR", conflicts_with_all = ["to_endpoint", "to_connection_string"])]
    to_data: Option<PathBuf>,

    /// Address of the server or Azure account that contains it
    #[arg(long, value_name = "URL", conflicts_with = "to_connection_string")]
    to_endpoint: Option<String>,

    /// Account key for --to-endpoint; by default the well-known key of the emulators
    #[arg(long, value_name = "KEY", requires = "to_endpoint", conflicts_with = "to_key_file")]
    to_key: Option<String>,

    /// File that contains the account key for --to-endpoint
    #[arg(long, value_name = "FILE", requires = "to_endpoint")]
    to_key_file: Option<PathBuf>,

    /// Address and key in one, or env:NAME for an environment variable
    #[arg(long, value_name = "TEXT")]
    to_connection_string: Option<String>,
}

/// The addresses of source and target.
#[derive(Debug)]
pub(super) struct CopyEndpoints {
    pub(super) from: CopyEndpoint,
    pub(super) to: CopyEndpoint,
}

#[derive(Debug)]
pub(super) struct CopyEndpoint {
    location: AccountLocation,
    database: String,
    container: String,
}

/// The opened containers. An account that both share is opened once.
pub(super) struct CopyContainers {
    pub(super) from: Container,
    pub(super) to: Container,
}

impl CopyEndpoints {
    pub(super) fn new(from: &FromFlags, to: &ToFlags) -> Result<Self, CommandError> {
        let location = AccountArguments {
            data: from.from_data.as_deref(),
            endpoint: from.from_endpoint.as_deref(),
            key: from.from_key.as_deref(),
            key_file: from.from_key_file.as_deref(),
            connection_string: from.from_connection_string.as_deref(),
        };
        let location = location.location()?.ok_or_else(|| {
            CommandError::new("reading the source", "no account is given")
                .hint("give one with --from-data, --from-endpoint or --from-connection-string")
        })?;
        let from = CopyEndpoint::new(location, &from.from, "--from")?;
        let location = AccountArguments {
            data: to.to_data.as_deref(),
            endpoint: to.to_endpoint.as_deref(),
            key: to.to_key.as_deref(),
            key_file: to.to_key_file.as_deref(),
            connection_string: to.to_connection_string.as_deref(),
        };
        let location = location.location()?.unwrap_or_else(|| from.location.clone());
        let to = CopyEndpoint::new(location, &to.to, "--to")?;
        Ok(Self { from, to })
    }

    pub(super) async fn open(&self, flags: &StoreFlags) -> Result<CopyContainers, CommandError> {
        let source = self.from.location.open(flags, MissingStore::Refuse).await?;
        let target = match self.from.location.is_same(&self.to.location) {
            // A folder can be opened only once at a time; opening it for the target would fail on its lock.
            true => source.clone(),
            false => self.to.location.open(flags, MissingStore::Create).await?,
        };
        Ok(CopyContainers { from: self.from.container(&source)?, to: self.to.container(&target)? })
    }
}

impl CopyContainers {
    /// Closes both accounts, the target first.
    pub(super) async fn close(&self) -> Result<(), CommandError> {
        let closed = self.to.account().close().await;
        // Nothing was written to the source; a common account is closed already.
        let _ = self.from.account().close().await;
        closed.map_err(|error| CommandError::from_error("closing the target", &error))
    }
}

impl CopyEndpoint {
    fn new(location: AccountLocation, name: &str, flag: &str) -> Result<Self, CommandError> {
        match name.split_once('/') {
            Some((database, container))
                if !database.is_empty() && !container.is_empty() && !container.contains('/') =>
            {
                Ok(Self {
                    location,
                    database: database.to_owned(),
                    container: container.to_owned(),
                })
            }
            _ => Err(CommandError::new(
                format!("reading {flag}"),
                format!("'{name}' is not a container"),
            )
            .hint("give it as database/container, for example shop/orders")),
        }
    }

    fn container(&self, account: &Account) -> Result<Container, CommandError> {
        let container =
            account.database(&self.database).and_then(|base| base.container(&self.container));
        container.map_err(|error| {
            CommandError::from_error(format!("reading the names of {self}"), &error)
                .or_hint("correct the names")
        })
    }
}

impl std::fmt::Display for CopyEndpoint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { location, database, container } = self;
        write!(formatter, "{database}/{container} in {location}")
    }
}
