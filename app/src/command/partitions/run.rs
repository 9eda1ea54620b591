//! The command: what is asked, where, and the answer.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use engine::ContainerLink;
use model::{EffectivePartitionKey, Json};

use super::change::{PartitionChange, change_folder};
use super::print::print;
#[cfg(feature = "connect")]
use super::send::change_server;
use crate::account_location::{AccountFlags, AccountLocation};
use crate::error::CommandError;
use crate::open::{self, StoreFlags};
use crate::output::line;

/// List, split and merge the physical partitions of a container, on a running server or in a folder
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere partitions list shop/orders --endpoint http://localhost:8081/
  planisphere partitions split shop/orders 0 --endpoint http://localhost:8081/
  planisphere partitions merge shop/orders 1 2 --data DIR

Items stay readable and writable while they are copied, and clients continue by themselves.")]
pub(crate) struct PartitionsCommand {
    #[command(subcommand)]
    action: PartitionAction,
}

#[derive(Debug, Subcommand)]
enum PartitionAction {
    /// List the physical partitions, and how far a split or merge has come
    List {
        #[command(flatten)]
        container: ContainerFlags,
    },
    /// Split a physical partition in two
    Split {
        #[command(flatten)]
        container: ContainerFlags,

        /// Number of the physical partition
        partition: u32,

        /// Effective partition key, in hex, at which the second half begins; by default the middle of the range
        #[arg(long, value_name = "HEX", value_parser = epk)]
        at: Option<EffectivePartitionKey>,
    },
    /// Merge two physical partitions that are beside each other
    Merge {
        #[command(flatten)]
        container: ContainerFlags,

        /// Number of the one
        left: u32,

        /// Number of the other
        right: u32,
    },
}

/// Which container, and where it is.
#[derive(Debug, Args)]
struct ContainerFlags {
    /// The container
    #[arg(value_name = "DATABASE/CONTAINER", value_parser = container_link)]
    container: ContainerLink,

    #[command(flatten)]
    account: AccountFlags,

    #[command(flatten)]
    store: StoreFlags,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl PartitionsCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        let (flags, change) = match self.action {
            PartitionAction::List { container } => (container, None),
            PartitionAction::Split { container, partition, at } => {
                (container, Some(PartitionChange::Split { partition, at }))
            }
            PartitionAction::Merge { container, left, right } => {
                (container, Some(PartitionChange::Merge { partitions: (left, right) }))
            }
        };
        let document = flags.change(change)?;
        if flags.json {
            line(&document)?;
        } else {
            print(&flags.container.to_string(), &document)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl ContainerFlags {
    fn change(&self, change: Option<PartitionChange>) -> Result<Json, CommandError> {
        match self.account.location()? {
            AccountLocation::Folder(folder) => {
                open::block_on(change_folder(&folder, &self.store, &self.container, change))
            }
            #[cfg(feature = "connect")]
            AccountLocation::Endpoint { url, key } => {
                open::block_on(change_server((&url, &key), &self.container, change))
            }
            #[cfg(not(feature = "connect"))]
            AccountLocation::Endpoint { url, .. } => {
                let reason = "this binary was built without the feature 'connect'";
                Err(CommandError::new(format!("connecting to {url}"), reason)
                    .hint("Stop the server and give its folder with --data"))
            }
        }
    }
}

/// A container, as commands name it.
pub(crate) fn container_link(text: &str) -> Result<ContainerLink, String> {
    let (database, container) = text
        .split_once('/')
        .ok_or_else(|| "give it as database/container, such as shop/orders".to_owned())?;
    ContainerLink::new(database, container).map_err(|invalid| invalid.message().to_owned())
}

fn epk(text: &str) -> Result<EffectivePartitionKey, String> {
    EffectivePartitionKey::from_hex(text).map_err(|invalid| invalid.message().to_owned())
}
