//! The command itself: get the usage of a running server or of the last run, make the report, print it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use engine::usage::{self, candidate_partition_key};
use model::Json;

use super::fetch::fetch;
use super::print::print;
use crate::command::serve::{USAGE_FILE, account_key, read_prices};
use crate::failure::Failure;
use crate::open;
use crate::output::line;

/// Tell what requests cost, which partitions are hot, which indexes would help, and what throughput would cost.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere report                                  of the server at http://localhost:8081/
  planisphere report --container shop/orders          of one container
  planisphere report --data DIR                       of the last run of a server on this folder
  planisphere report --try-partition-key /customerId  what another partition key would have done
  planisphere report --json | jq .containers          for programs

Counting begins when a server starts. Trying a partition key needs traffic recorded with `serve --record-traffic`.")]
pub(crate) struct Report {
    /// Address of a running server; plain HTTP
    #[arg(long, value_name = "URL", default_value = "http://localhost:8081/")]
    endpoint: String,

    /// Account key of the server in base64; without it the key every emulator has is used
    #[arg(long, value_name = "KEY", conflicts_with = "key_file")]
    key: Option<String>,

    /// File that holds the account key
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// Folder of a store: tell of the last run of a server on it, also while one runs
    #[arg(long, value_name = "DIR", conflicts_with_all = ["endpoint", "key", "key_file"])]
    data: Option<PathBuf>,

    /// Only this container
    #[arg(long, value_name = "DATABASE/CONTAINER")]
    container: Option<String>,

    /// Partition key to try on the recorded traffic; several paths with commas for a hierarchical one
    #[arg(long, value_name = "PATHS")]
    try_partition_key: Option<String>,

    /// File with prices, as JSON; list prices in US dollars without it
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Report {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let prices = read_prices(self.prices.as_deref())?;
        let candidate = self.try_partition_key.as_deref().map(|text| {
            candidate_partition_key(text).map_err(|error| {
                Failure::of(format!("reading the partition key '{text}'"), &error)
                    .or_way_out("Give paths such as /customerId or /tenantId,/userId")
            })
        });
        let candidate = candidate.transpose()?;
        let mut usage = self.usage()?;
        if let Some(name) = &self.container {
            only(&mut usage, name)?;
        }
        let report = usage::report(&usage, &prices, candidate.as_ref())
            .map_err(|error| Failure::of("making the report", &error))?;
        if self.json {
            line(&report)?;
        } else {
            print(&report)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn usage(&self) -> Result<Json, Failure> {
        match &self.data {
            Some(folder) => saved(folder),
            None => {
                let key = account_key(self.key.as_deref(), self.key_file.as_deref())?;
                let body = open::run(fetch(&self.endpoint, &key))?;
                Json::parse(&body).map_err(|error| {
                    let what = format!("reading the answer of {}", self.endpoint);
                    Failure::new(what, error.to_string()).way_out("Is this a planisphere server?")
                })
            }
        }
    }
}

fn saved(folder: &Path) -> Result<Json, Failure> {
    let file = folder.join(USAGE_FILE);
    let what = || format!("reading {}", file.display());
    let text = std::fs::read(&file).map_err(|error| {
        Failure::new(what(), error.to_string()).way_out(
            "A server saves it every minute and when it stops; run one on this folder first",
        )
    })?;
    Json::parse(&text).map_err(|error| {
        Failure::new(what(), error.to_string()).way_out("Remove it; a server writes it anew")
    })
}

/// Keeps one container of a document of usage.
fn only(usage: &mut Json, name: &str) -> Result<(), Failure> {
    let full = |container: &Json| {
        let part = |member| container.get(member).and_then(Json::as_str).unwrap_or_default();
        format!("{}/{}", part("database"), part("container"))
    };
    let containers = usage.get("containers").and_then(Json::as_array).unwrap_or_default();
    let kept: Vec<Json> = containers.iter().filter(|each| full(each) == name).cloned().collect();
    if kept.is_empty() {
        let known: Vec<String> = containers.iter().map(full).collect();
        return Err(Failure::new(
            format!("looking for the container '{name}'"),
            format!("there is none; known are: {}", known.join(", ")),
        )
        .way_out("Give it as database/container"));
    }
    if let Json::Object(document) = usage {
        document.insert("containers", kept);
    }
    Ok(())
}
