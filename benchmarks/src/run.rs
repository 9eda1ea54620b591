//! One run: prepare the data, take every measurement that was asked for, collect the rows.
//!
//! Owns the order. Does not own any measurement: one file each in `measure/`.

use std::path::PathBuf;

use tokio::runtime::Runtime;

use crate::Result;
use crate::measure;
use crate::prepare::Prepared;
use crate::report::{Report, Row};

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

/// What every measurement gets.
pub(crate) struct Bench {
    pub(crate) options: Options,
    pub(crate) prepared: Prepared,
    pub(crate) runtime: Runtime,
}

type Measurement = fn(&Bench) -> Result<Vec<Row>>;

const MEASUREMENTS: [(char, Measurement); 7] = [
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
/// Whatever went wrong: a number that is not there is better than a wrong one.
pub fn run(options: &Options) -> Result<Report> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let prepared = Prepared::new(options)?;
    let bench = Bench { options: options.clone(), prepared, runtime };
    let mut rows = Vec::new();
    for (letter, measurement) in MEASUREMENTS {
        if options.only.is_empty() || options.only.contains(&letter) {
            rows.extend(measurement(&bench)?);
        }
    }
    Ok(Report { items: options.items, rounds: options.rounds, rows })
}
