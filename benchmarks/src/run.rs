//! One run: prepares the data, takes the requested measurements, collects the rows.

use std::path::PathBuf;

use tokio::runtime::Runtime;

use crate::Result;
use crate::measure;
use crate::prepare::PreparedStores;
use crate::report::{BenchReport, ReportRow};

/// What to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Items of the data set.
    pub items: u64,
    /// Rounds of each side.
    pub rounds: usize,
    /// Letters of the measurements; empty means all.
    pub only: Vec<char>,
    /// This program, which is started again for what needs a process of its own.
    pub program: PathBuf,
}

/// The context of every measurement.
pub(crate) struct EngineBench {
    pub(crate) options: Options,
    pub(crate) prepared: PreparedStores,
    pub(crate) runtime: Runtime,
}

type MeasureFn = fn(&EngineBench) -> Result<Vec<ReportRow>>;

const MEASUREMENTS: [(char, MeasureFn); 7] = [
    ('a', measure::point_read),
    ('b', measure::durable_create),
    ('c', measure::bulk_load),
    ('d', measure::change_feed),
    ('e', measure::opening),
    ('f', measure::memory),
    ('g', measure::client_read),
];

/// Runs the benchmarks.
///
/// # Errors
/// Any failure: a missing number is better than a wrong one.
pub fn run(options: &Options) -> Result<BenchReport> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let prepared = PreparedStores::new(options)?;
    let bench = EngineBench { options: options.clone(), prepared, runtime };
    let mut rows = Vec::new();
    for (letter, measurement) in MEASUREMENTS {
        if options.only.is_empty() || options.only.contains(&letter) {
            rows.extend(measurement(&bench)?);
        }
    }
    Ok(BenchReport { items: options.items, rounds: options.rounds, rows })
}
