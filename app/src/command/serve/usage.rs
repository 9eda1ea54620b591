//! Throughput enforcement and usage recording of a server.
//!
//! Saves the usage to a file in the store's folder, which `planisphere report --data` reads.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use engine::Engine;
use engine::usage::PriceTable;
use tokio::task::JoinHandle;

use super::emulator::EmulatorVariables;
use crate::error::CommandError;
use crate::output::warn;
use crate::private_file;

/// The file with the usage of the last run.
pub(crate) const USAGE_FILE: &str = "usage.json";
/// A crash loses at most the counts of this time.
const SAVE_EVERY: Duration = Duration::from_secs(60);

/// The flags about throughput and usage.
#[derive(Clone, Debug, Args)]
pub(crate) struct UsageFlags {
    /// Enforce the provisioned throughput: requests beyond it are answered with 429 and a retry delay
    #[arg(long)]
    enforce_throughput: bool,

    /// Record a bounded sample of traffic, including values of items and queries, for `report --try-partition-key`
    #[arg(long)]
    record_traffic: bool,

    /// Name containers in /metrics, which needs no key: items, bytes, partitions, requests, charges and throttling of
    /// each. Always so with the well-known key
    #[arg(long)]
    metrics_per_container: bool,

    /// JSON file with prices for reports; by default list prices in US dollars
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

impl UsageFlags {
    /// Adds the emulators' environment variables where the flags are absent.
    pub(crate) fn with_variables(mut self, variables: &EmulatorVariables) -> Self {
        self.enforce_throughput |= variables.enforce_throughput == Some(true);
        self
    }

    pub(crate) fn engine_settings(&self) -> engine::EngineSettings {
        engine::EngineSettings {
            enforce_throughput: self.enforce_throughput,
            record_traffic: self.record_traffic,
            ..engine::EngineSettings::default()
        }
    }

    pub(crate) fn shows_containers(&self) -> bool {
        self.metrics_per_container
    }

    pub(crate) fn prices(&self) -> Result<PriceTable, CommandError> {
        read_prices(self.prices.as_deref())
    }
}

/// Reads a price file; the list prices without one.
pub(crate) fn read_prices(file: Option<&Path>) -> Result<PriceTable, CommandError> {
    let Some(file) = file else { return Ok(PriceTable::default()) };
    let what = || format!("reading the prices in {}", file.display());
    let text = std::fs::read(file).map_err(|error| {
        CommandError::new(what(), error.to_string())
            .hint("Give a JSON file such as {\"currency\":\"USD\"}")
    })?;
    PriceTable::parse(&text).map_err(|error| CommandError::from_error(what(), &error))
}

/// Saves the usage periodically until aborted.
pub(crate) fn save_periodically(engine: Engine, folder: PathBuf) -> JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(SAVE_EVERY).await;
            save(&engine, &folder);
        }
    })
}

/// Saves the usage. The file is replaced atomically.
pub(crate) fn save(engine: &Engine, folder: &Path) {
    let file = folder.join(USAGE_FILE);
    // It may hold values of items and queries.
    if let Err(error) = private_file::replace(&file, &engine.usage().to_bytes()) {
        warn(&format!("the usage was not saved in {}: {error}", file.display()));
    }
}
