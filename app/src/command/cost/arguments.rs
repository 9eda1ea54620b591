//! The flags of the command, and which of its two forms they ask for.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use model::ChargeProfile;

use super::{item, refit};
use crate::failure::Failure;

/// Price an item without a server, path by path, and see what leaving a path out of the index saves.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  planisphere cost --item order.json                          under the default policy: everything is indexed
  planisphere cost --item order.json --policy policy.json     under an indexing policy, or a container with one
  planisphere cost --item order.json --replace-with paid.json --profile native --json
  planisphere cost refit diagnostics.jsonl                    how far the model is from your own charges

`docs/request-charges.md` has the formula and how well it fits what is published.

Exit codes: 0 priced, 2 a file is not what it should be."
)]
pub(crate) struct Cost {
    #[command(subcommand)]
    form: Option<Form>,

    #[command(flatten)]
    price: Option<Price>,
}

#[derive(Debug, Subcommand)]
enum Form {
    Refit(Refit),
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
pub(super) struct Refit {
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
pub(super) struct Price {
    /// File with the item as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) item: PathBuf,

    /// File with an indexing policy, or with a container that has one; without it everything is indexed
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<PathBuf>,

    /// File with the next version of the item; without it one indexed leaf is taken to change
    #[arg(long, value_name = "FILE")]
    pub(super) replace_with: Option<PathBuf>,

    /// Whether a replace pays for the removal of the old version: azure (it does) or native
    #[arg(long, default_value = "azure", value_parser = profile)]
    pub(super) profile: ChargeProfile,

    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Reads the name of a profile.
pub(crate) fn profile(word: &str) -> Result<ChargeProfile, String> {
    ChargeProfile::parse(word).map_err(|invalid| invalid.message().to_owned())
}

impl Cost {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match (self.form, self.price) {
            (Some(Form::Refit(refit)), _) => refit::run(&refit)?,
            (None, Some(price)) => item::run(&price)?,
            (None, None) => {
                return Err(Failure::new("pricing an item", "--item is missing")
                    .way_out("give --item FILE; `planisphere help cost` has examples"));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
