//! One run: load every size, take every measurement, collect the rows.
//!
//! Owns the order and the stores of the run; they go when it ends.

use engine::Engine;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::report::QueryReport;
use super::{case, data, measure};
use crate::meter::wait_until_idle;
use crate::{Result, progress};

/// What to run.
#[derive(Clone, Debug)]
pub struct QueryOptions {
    /// Sizes of the data set, smallest first.
    pub items: Vec<u64>,
    /// Rounds; the table shows medians.
    pub rounds: usize,
    /// Numbers of the measurements, 1 to 6; empty means all.
    pub only: Vec<u8>,
}

/// A loaded data set.
pub(super) struct Subject {
    pub(super) items: u64,
    pub(super) engine: Engine,
    _folder: TempDir,
}

/// What every measurement gets.
pub(super) struct QueryBench {
    pub(super) runtime: Runtime,
    pub(super) rounds: usize,
    pub(super) subjects: Vec<Subject>,
}

/// Runs the query benchmarks.
///
/// # Errors
/// Whatever went wrong: a number that is not there is better than a wrong one.
pub fn run_queries(options: &QueryOptions) -> Result<QueryReport> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut items = options.items.clone();
    items.sort_unstable();
    items.dedup();
    let mut subjects = Vec::new();
    for items in &items {
        subjects.push(runtime.block_on(Subject::load(*items))?);
    }
    progress::step("waiting for compactions");
    wait_until_idle()?;
    let bench = QueryBench { runtime, rounds: options.rounds.max(1), subjects };
    let is_wanted = |number: u8| options.only.is_empty() || options.only.contains(&number);
    let mut report = QueryReport { items, rounds: bench.rounds, ..QueryReport::default() };
    for case in &case::CASES {
        if case.name.bytes().next().is_some_and(|first| is_wanted(first - b'0')) {
            report.counted.extend(measure::counted(&bench, case)?);
        }
    }
    if is_wanted(5) {
        for subject in &bench.subjects {
            report.scans.push(measure::full_scan(&bench, subject)?);
        }
    }
    if is_wanted(6) {
        report.preparing = measure::preparing(&bench)?;
    }
    for subject in bench.subjects {
        bench.runtime.block_on(subject.engine.close())?;
    }
    Ok(report)
}

impl Subject {
    async fn load(items: u64) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("benchmarks").tempdir()?;
        let engine = data::load(&folder.path().join("store"), items).await?;
        Ok(Self { items, engine, _folder: folder })
    }

    /// Logical partitions, and as many batches.
    pub(super) fn partitions(&self) -> u64 {
        self.items / data::PARTITION_ITEMS
    }
}
