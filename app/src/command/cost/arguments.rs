//! The flags of the command and its subcommand.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use model::ChargeProfile;

use super::{item, refit};
use crate::error::CommandError;

/// Estimate what an item costs, path by path, without a server, and what excluding a path from the index saves.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  planisphere cost --item order.json                          with the default policy: everything is indexed
  planisphere cost --item order.json --policy policy.json     with an indexing policy, or that of a container
  planisphere cost --item order.json --replace-with paid.json --profile native --json
  planisphere cost refit diagnostics.jsonl                    how far the model is from your own charges

`docs/request-charges.md` explains the formula and how well it fits published charges.

Exit codes: 0 success, 2 a file is not valid."
)]
pub(crate) struct CostCommand {
    #[command(subcommand)]
    subcommand: Option<CostSubcommand>,

    #[command(flatten)]
    price: Option<PriceArguments>,
}

#[derive(Debug, Subcommand)]
enum CostSubcommand {
    Refit(RefitArguments),
}

/// Compare measured charges with the model and fit its constants to them.
#[derive(Debug, Args)]
#[command(after_help = "\
Each line of the file is one measured operation:
  {\"operation\":\"read\",\"charge\":1,\"bytes\":640}
  {\"operation\":\"create\",\"charge\":7.05,\"bytes\":640,\"leaves\":5}                    also delete
  {\"operation\":\"replace\",\"charge\":10.67,\"bytes\":640,\"oldBytes\":600,\"changedLeaves\":2}
  {\"operation\":\"patch\",\"charge\":11.05,\"bytes\":640,\"changedLeaves\":2,\"patchOperations\":1}
  {\"operation\":\"query\",\"charge\":4.2,\"lookups\":1,\"loaded\":30,\"loadedBytes\":21500}
A changed leaf counts as one removed and one added. A query may also have partitions, scanned, scannedBytes,
indexEntries, tuples, vectorSearches, or the service's own retrievedDocumentCount, retrievedDocumentSize,
outputDocumentCount and outputDocumentSize.")]
pub(super) struct RefitArguments {
    /// File of JSON lines
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,

    /// The profile to compare with: azure or native
    #[arg(long, default_value = "azure", value_parser = profile)]
    pub(super) profile: ChargeProfile,

    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct PriceArguments {
    /// File with the item as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) item: PathBuf,

    /// File with an indexing policy, or with a container that has one; by default everything is indexed
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<PathBuf>,

    /// File with the next version of the item; by default one indexed leaf is assumed to change
    #[arg(long, value_name = "FILE")]
    pub(super) replace_with: Option<PathBuf>,

    /// Whether a replace pays for removing the old version: azure (yes) or native (no)
    #[arg(long, default_value = "azure", value_parser = profile)]
    pub(super) profile: ChargeProfile,

    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Parses the name of a profile.
pub(crate) fn profile(word: &str) -> Result<ChargeProfile, String> {
    ChargeProfile::parse(word).map_err(|invalid| invalid.message().to_owned())
}

impl CostCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        match (self.subcommand, self.price) {
            (Some(CostSubcommand::Refit(refit)), _) => refit::run(&refit)?,
            (None, Some(price)) => item::run(&price)?,
            (None, None) => {
                return Err(CommandError::new("pricing an item", "--item is missing")
                    .hint("give --item FILE; `planisphere help cost` has examples"));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
