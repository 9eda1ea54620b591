//! c: loading all items without a sync per write, against raw batches of the same entries.
//!
//! Owns the loading of both sides, which `durable_create` shares.

use fjall::PersistMode;
use storage_lsm::Durability;

use crate::child::{LOADING_CALLERS, RELAXED};
use crate::meter::{TimeMeter, TimeSpent};
use crate::raw::RawTree;
use crate::report::ReportRow;
use crate::rounds::alternate;
use crate::run::EngineBench;
use crate::tape::Tape;
use crate::{Result, data, progress};

/// What both sides load.
pub(crate) struct BulkLoad {
    pub(crate) items: u64,
    /// Callers of the engine; items of a raw batch.
    pub(crate) callers: u64,
    pub(crate) durability: Durability,
    pub(crate) mode: PersistMode,
    pub(crate) what: &'static str,
}

pub(crate) fn bulk_load(bench: &EngineBench) -> Result<Vec<ReportRow>> {
    let load = BulkLoad {
        items: bench.options.items,
        callers: LOADING_CALLERS,
        durability: RELAXED,
        mode: PersistMode::Buffer,
        what: "c: bulk load",
    };
    let medians = alternate(
        bench.options.rounds,
        load.items,
        || create_all(bench, &load),
        || write_all(bench, &load),
    )?;
    let what = "bulk load without sync per write, 100 callers";
    Ok(vec![ReportRow::share('c', what, medians, "at least 50 % of the throughput", 0.5)])
}

/// Creates the items in a new store.
pub(crate) fn create_all(bench: &EngineBench, load: &BulkLoad) -> Result<TimeSpent> {
    let folder = bench.prepared.scratch()?;
    bench.runtime.block_on(async {
        let engine = data::open(folder.path(), load.durability, None).await?;
        data::create_container(&engine).await?;
        let bar = progress::bar(load.items, load.what);
        let meter = TimeMeter::start()?;
        data::create_items(&engine, 0..load.items, load.callers, &bar).await?;
        let spent = meter.stop()?;
        bar.finish_and_clear();
        let usage = engine.read_container(&data::link()?).await?.value.usage;
        engine.close().await?;
        if usage.items != load.items {
            return Err(format!("{} items of {} were created", usage.items, load.items).into());
        }
        Ok(spent)
    })
}

/// Writes the entries of as many items from the tape into a new tree.
pub(crate) fn write_all(bench: &EngineBench, load: &BulkLoad) -> Result<TimeSpent> {
    let folder = bench.prepared.scratch()?;
    let raw = RawTree::open(folder.path())?;
    let mut tape = Tape::open(&bench.prepared.tape())?;
    // The catalog comes first: the database and the container.
    let (catalog, _) = tape.next(data::CATALOG_SETS)?;
    raw.commit(catalog, PersistMode::Buffer)?;
    let bar = progress::bar(load.items, load.what);
    let mut written = 0;
    let mut meter = TimeMeter::start()?;
    while written < load.items {
        let sets = load.callers.min(load.items - written);
        let (entries, taken) = meter.outside(|| tape.next(sets))?;
        if taken == 0 {
            return Err("the tape is too short".into());
        }
        raw.commit(entries, load.mode)?;
        written += taken;
        bar.inc(taken);
    }
    let spent = meter.stop()?;
    bar.finish_and_clear();
    Ok(spent)
}
