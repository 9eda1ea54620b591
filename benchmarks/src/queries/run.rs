//! One run: load every size, take every measurement, collect the rows.
//!
//! Owns the order and the stores of the run. They go when it ends, unless a folder is given to keep them: then the next
//! run finds them loaded. A process of its own loads each, so that the memory of loading is not that of asking.

use std::path::{Path, PathBuf};

use engine::Engine;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::report::QueryReport;
use super::{case, data, measure};
use crate::child::{ChildTask, number, spawn};
use crate::meter::{now, resident_bytes, wait_until_idle};
use crate::{Result, progress};

/// The file beside a store that is loaded as a whole. Its name changes with the data set.
const LOADED: &str = "loaded-1";

/// What to run.
#[derive(Clone, Debug)]
pub struct QueryOptions {
    /// Sizes of the data set, smallest first.
    pub items: Vec<u64>,
    /// Rounds; the table shows medians.
    pub rounds: usize,
    /// Numbers of the measurements, 1 to 6; empty means all.
    pub only: Vec<u8>,
    /// Where loaded stores are kept for the next run; none when they go with this one.
    pub data: Option<PathBuf>,
    /// This program, to be started again.
    pub program: PathBuf,
}

/// A loaded data set.
pub(super) struct Subject {
    pub(super) items: u64,
    pub(super) engine: Engine,
    _folder: Option<TempDir>,
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
        subjects.push(runtime.block_on(Subject::load(options, *items))?);
    }
    progress::step("waiting for compactions");
    wait_until_idle()?;
    step_with_memory("all stores are open and idle")?;
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
    step_with_memory("all is measured")?;
    for subject in bench.subjects {
        bench.runtime.block_on(subject.engine.close())?;
    }
    Ok(report)
}

impl Subject {
    async fn load(options: &QueryOptions, items: u64) -> Result<Self> {
        data::check(items)?;
        let (folder, scratch) = match &options.data {
            Some(kept) => (kept.join(format!("orders-{items}")), None),
            None => {
                let scratch = tempfile::Builder::new().prefix("benchmarks").tempdir()?;
                (scratch.path().to_path_buf(), Some(scratch))
            }
        };
        let (store, loaded) = (folder.join("store"), folder.join(LOADED));
        if loaded.exists() {
            progress::step(&format!("{items} items are loaded already"));
        } else {
            load_store(&options.program, &store, items)?;
            std::fs::write(&loaded, "")?;
        }
        let engine = data::open_loaded(&store).await?;
        Ok(Self { items, engine, _folder: scratch })
    }

    /// Logical partitions, and as many batches.
    pub(super) fn partitions(&self) -> u64 {
        self.items / data::PARTITION_ITEMS
    }
}

/// Loads a store in a process of its own. What an earlier run has left half done is in the way.
fn load_store(program: &Path, store: &Path, items: u64) -> Result<()> {
    if store.exists() {
        std::fs::remove_dir_all(store)?;
    }
    std::fs::create_dir_all(store)?;
    let started = now();
    let measured =
        spawn(program, ChildTask::LoadOrders, store, items, None)?.measured("loading")?;
    let (seconds, peak) = (started.elapsed().as_secs_f64(), number(&measured, "peak")?);
    progress::step(&format!("{items} items loaded in {seconds:.0} s, {} MiB at most", peak >> 20));
    Ok(())
}

fn step_with_memory(what: &str) -> Result<()> {
    let (resident, _) = resident_bytes()?;
    progress::step(&format!("{what}: {} MiB in memory", resident >> 20));
    Ok(())
}
