//! Reads the usage of a running server or of the last run, builds the report and prints it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use engine::usage::{self, candidate_partition_key};
use model::Json;

#[cfg(feature = "connect")]
use super::fetch::fetch;
use super::print::print;
#[cfg(feature = "connect")]
use crate::account_key::read_account_key;
use crate::command::serve::{USAGE_FILE, read_prices};
use crate::error::CommandError;
#[cfg(feature = "connect")]
use crate::open;
use crate::output::line;

/// Report what requests cost, which partitions are hot, which indexes would help, and what throughput would cost.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere report                                  the server at http://localhost:8081/
  planisphere report --container shop/orders          one container
  planisphere report --data DIR                       the last run of a server on this folder
  planisphere report --try-partition-key /customerId  the effect of another partition key
  planisphere report --json | jq .containers          for programs

Usage is counted from the start of a server. --try-partition-key needs traffic recorded by
`serve --record-traffic`.")]
pub(crate) struct ReportCommand {
    /// Address of a running server
    #[arg(long, value_name = "URL", default_value = "http://localhost:8081/")]
    endpoint: String,

    /// Account key of the server in base64; by default the well-known key of the emulators
    #[arg(long, value_name = "KEY", conflicts_with = "key_file")]
    key: Option<String>,

    /// File that contains the account key
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// Folder of a store: report the last run of a server on it, even while one is running
    #[arg(long, value_name = "DIR", conflicts_with_all = ["endpoint", "key", "key_file"])]
    data: Option<PathBuf>,

    /// Only this container
    #[arg(long, value_name = "DATABASE/CONTAINER")]
    container: Option<String>,

    /// Partition key to try on the recorded traffic; separate the paths of a hierarchical key by commas
    #[arg(long, value_name = "PATHS")]
    try_partition_key: Option<String>,

    /// JSON file with prices; by default list prices in US dollars
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ReportCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        let prices = read_prices(self.prices.as_deref())?;
        let candidate = self.try_partition_key.as_deref().map(|text| {
            candidate_partition_key(text).map_err(|error| {
                CommandError::from_error(format!("reading the partition key '{text}'"), &error)
                    .or_hint("Give paths such as /customerId or /tenantId,/userId")
            })
        });
        let candidate = candidate.transpose()?;
        let mut usage = self.usage()?;
        if let Some(name) = &self.container {
            keep_container(&mut usage, name)?;
        }
        let report = usage::report(&usage, &prices, candidate.as_ref())
            .map_err(|error| CommandError::from_error("building the report", &error))?;
        if self.json {
            line(&report)?;
        } else {
            print(&report)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn usage(&self) -> Result<Json, CommandError> {
        match &self.data {
            Some(folder) => read_saved(folder),
            None => self.fetch_usage(),
        }
    }

    #[cfg(feature = "connect")]
    fn fetch_usage(&self) -> Result<Json, CommandError> {
        let key = read_account_key(self.key.as_deref(), self.key_file.as_deref())?;
        let body = open::block_on(fetch(&self.endpoint, &key))?;
        Json::parse(&body).map_err(|error| {
            let what = format!("reading the response of {}", self.endpoint);
            CommandError::new(what, error.to_string()).hint("Is this a planisphere server?")
        })
    }

    #[cfg(not(feature = "connect"))]
    fn fetch_usage(&self) -> Result<Json, CommandError> {
        let what = format!("requesting the usage of {}", self.endpoint);
        let reason = "this binary was built without the feature 'connect'";
        Err(CommandError::new(what, reason).hint(
            "Give the folder of the server with --data, or build with: cargo run --release --features connect -- report",
        ))
    }
}

fn read_saved(folder: &Path) -> Result<Json, CommandError> {
    let file = folder.join(USAGE_FILE);
    let what = || format!("reading {}", file.display());
    let text = std::fs::read(&file).map_err(|error| {
        CommandError::new(what(), error.to_string()).hint(
            "A server saves it every minute and when it stops; run a server on this folder first",
        )
    })?;
    Json::parse(&text).map_err(|error| {
        CommandError::new(what(), error.to_string())
            .hint("Delete the file; a server writes a new one")
    })
}

/// Keeps only one container of a usage document.
fn keep_container(usage: &mut Json, name: &str) -> Result<(), CommandError> {
    let full = |container: &Json| {
        let part = |member| container.get(member).and_then(Json::as_str).unwrap_or_default();
        format!("{}/{}", part("database"), part("container"))
    };
    let containers = usage.get("containers").and_then(Json::as_array).unwrap_or_default();
    let kept: Vec<Json> = containers.iter().filter(|each| full(each) == name).cloned().collect();
    if kept.is_empty() {
        let known: Vec<String> = containers.iter().map(full).collect();
        return Err(CommandError::new(
            format!("looking for the container '{name}'"),
            format!("it does not exist; the containers are: {}", known.join(", ")),
        )
        .hint("Give it as database/container"));
    }
    if let Json::Object(document) = usage {
        document.insert("containers", kept);
    }
    Ok(())
}
