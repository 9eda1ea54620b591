//! The two sides of a copy on the command line.
//!
//! Owns the flags of source and target. A target that names no place is in the place of the source.

use std::path::PathBuf;

use clap::Args;
use client::{Account, Container};

use crate::failure::Failure;
use crate::open::StoreFlags;
use crate::place::{Missing, Place, Words};

/// Where items come from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Source")]
pub(super) struct FromFlags {
    /// The container to copy
    #[arg(long, value_name = "DATABASE/CONTAINER")]
    from: String,

    /// It is in the store in this folder
    #[arg(long, value_name = "DIR",
          conflicts_with_all = ["from_endpoint", "from_connection_string"])]
    from_data: Option<PathBuf>,

    /// It is behind this address: a running server, or an account of the service
    #[arg(long, value_name = "URL", conflicts_with = "from_connection_string")]
    from_endpoint: Option<String>,

    /// Account key for --from-endpoint; without it the key every emulator has is used
    #[arg(long, value_name = "KEY", requires = "from_endpoint", conflicts_with = "from_key_file")]
    from_key: Option<String>,

    /// File that holds the account key for --from-endpoint
    #[arg(long, value_name = "FILE", requires = "from_endpoint")]
    from_key_file: Option<PathBuf>,

    /// Address and key in one, 'AccountEndpoint=...;AccountKey=...;', or env:NAME for the variable that holds it
    #[arg(long, value_name = "TEXT")]
    from_connection_string: Option<String>,
}

/// Where items go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Target")]
pub(super) struct ToFlags {
    /// The container to fill; made with the properties of the source when it is missing
    #[arg(long, value_name = "DATABASE/CONTAINER")]
    to: String,

    /// It is in the store in this folder; in the place of the source when no place is given
    #[arg(long, value_name = "DIR", conflicts_with_all = ["to_endpoint", "to_connection_string"])]
    to_data: Option<PathBuf>,

    /// It is behind this address
    #[arg(long, value_name = "URL", conflicts_with = "to_connection_string")]
    to_endpoint: Option<String>,

    /// Account key for --to-endpoint; without it the key every emulator has is used
    #[arg(long, value_name = "KEY", requires = "to_endpoint", conflicts_with = "to_key_file")]
    to_key: Option<String>,

    /// File that holds the account key for --to-endpoint
    #[arg(long, value_name = "FILE", requires = "to_endpoint")]
    to_key_file: Option<PathBuf>,

    /// Address and key in one, or env:NAME for the variable that holds it
    #[arg(long, value_name = "TEXT")]
    to_connection_string: Option<String>,
}

/// Both sides, named but not opened.
#[derive(Debug)]
pub(super) struct Sides {
    pub(super) from: Side,
    pub(super) to: Side,
}

#[derive(Debug)]
pub(super) struct Side {
    place: Place,
    database: String,
    container: String,
}

/// Both sides, opened. One place is opened once.
pub(super) struct Opened {
    pub(super) from: Container,
    pub(super) to: Container,
}

impl Sides {
    pub(super) fn new(from: &FromFlags, to: &ToFlags) -> Result<Self, Failure> {
        let place = Words {
            data: from.from_data.as_deref(),
            endpoint: from.from_endpoint.as_deref(),
            key: from.from_key.as_deref(),
            key_file: from.from_key_file.as_deref(),
            connection_string: from.from_connection_string.as_deref(),
        };
        let place = place.place()?.ok_or_else(|| {
            Failure::new("reading the source", "it has no place").way_out(
                "say where it is with --from-data, --from-endpoint or --from-connection-string",
            )
        })?;
        let from = Side::new(place, &from.from, "--from")?;
        let place = Words {
            data: to.to_data.as_deref(),
            endpoint: to.to_endpoint.as_deref(),
            key: to.to_key.as_deref(),
            key_file: to.to_key_file.as_deref(),
            connection_string: to.to_connection_string.as_deref(),
        };
        let place = place.place()?.unwrap_or_else(|| from.place.clone());
        let to = Side::new(place, &to.to, "--to")?;
        Ok(Self { from, to })
    }

    pub(super) async fn open(&self, flags: &StoreFlags) -> Result<Opened, Failure> {
        let source = self.from.place.open(flags, Missing::Refuse).await?;
        let target = match self.from.place.is_same(&self.to.place) {
            true => source.clone(),
            false => self.to.place.open(flags, Missing::Make).await?,
        };
        Ok(Opened { from: self.from.container(&source)?, to: self.to.container(&target)? })
    }
}

impl Opened {
    /// Lets go of both places, the written one first.
    pub(super) async fn close(&self) -> Result<(), Failure> {
        let closed = self.to.account().close().await;
        // Nothing was written to the source; in the same place it is closed already.
        let _ = self.from.account().close().await;
        closed.map_err(|error| Failure::of("closing the target", &error))
    }
}

impl Side {
    fn new(place: Place, name: &str, flag: &str) -> Result<Self, Failure> {
        match name.split_once('/') {
            Some((database, container))
                if !database.is_empty() && !container.is_empty() && !container.contains('/') =>
            {
                Ok(Self { place, database: database.to_owned(), container: container.to_owned() })
            }
            _ => Err(Failure::new(format!("reading {flag}"), format!("'{name}' is no container"))
                .way_out("give it as database/container, for example shop/orders")),
        }
    }

    fn container(&self, account: &Account) -> Result<Container, Failure> {
        let container =
            account.database(&self.database).and_then(|base| base.container(&self.container));
        container.map_err(|error| {
            Failure::of(format!("reading the names of {self}"), &error)
                .or_way_out("give names as they are allowed")
        })
    }
}

impl std::fmt::Display for Side {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { place, database, container } = self;
        write!(formatter, "{database}/{container} in {place}")
    }
}
