//! Throughput and usage of a server: what is enforced, what is recorded, where it is saved.
//!
//! Owns the flags, and the file in the folder of the store that `planisphere report --data` reads. Does not own
//! counting.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use engine::Engine;
use engine::usage::PriceTable;
use tokio::task::JoinHandle;

use super::run::warn;
use crate::failure::Failure;

/// The file with the usage of the last run.
pub(crate) const USAGE_FILE: &str = "usage.json";
/// A crash loses the counts of so much time at most.
const SAVE_EVERY: Duration = Duration::from_secs(60);

/// The flags about throughput and usage.
#[derive(Clone, Debug, Args)]
pub(crate) struct UsageFlags {
    /// Hold containers to their throughput: requests beyond it are answered with 429 and a time to wait
    #[arg(long)]
    enforce_throughput: bool,

    /// Keep a bounded sample of traffic, with values of items and queries, for `report --try-partition-key`
    #[arg(long)]
    record_traffic: bool,

    /// File with prices, as JSON, for reports; list prices in US dollars without it
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

impl UsageFlags {
    pub(crate) fn engine_settings(&self) -> engine::EngineSettings {
        engine::EngineSettings {
            enforce_throughput: self.enforce_throughput,
            record_traffic: self.record_traffic,
            ..engine::EngineSettings::default()
        }
    }

    pub(crate) fn prices(&self) -> Result<PriceTable, Failure> {
        read_prices(self.prices.as_deref())
    }
}

/// Reads a file of prices; the list prices without one.
pub(crate) fn read_prices(file: Option<&Path>) -> Result<PriceTable, Failure> {
    let Some(file) = file else { return Ok(PriceTable::default()) };
    let what = || format!("reading the prices in {}", file.display());
    let text = std::fs::read(file).map_err(|error| {
        Failure::new(what(), error.to_string())
            .way_out("Give a JSON file such as {\"currency\":\"USD\"}")
    })?;
    PriceTable::parse(&text).map_err(|error| Failure::of(what(), &error))
}

/// Saves the usage now and then, until it is aborted.
pub(crate) fn keep_saving(engine: Engine, folder: PathBuf) -> JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(SAVE_EVERY).await;
            save(&engine, &folder);
        }
    })
}

/// Saves the usage. The old file stays whole until the new one is.
pub(crate) fn save(engine: &Engine, folder: &Path) {
    let (file, unfinished) = (folder.join(USAGE_FILE), folder.join("usage.json.unfinished"));
    let written = std::fs::write(&unfinished, engine.usage().to_bytes())
        .and_then(|()| std::fs::rename(&unfinished, &file));
    if let Err(error) = written {
        warn(&format!("the usage was not saved in {}: {error}", file.display()));
    }
}
