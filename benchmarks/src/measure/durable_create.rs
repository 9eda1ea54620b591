//! b: creating items durably with 16 callers, against raw batches of the same entries with a sync each.

use fjall::PersistMode;
use storage_lsm::Durability;

use super::bulk_load::{BulkLoad, create_all, write_all};
use crate::Result;
use crate::report::ReportRow;
use crate::rounds::alternate;
use crate::run::EngineBench;

pub(crate) fn durable_create(bench: &EngineBench) -> Result<Vec<ReportRow>> {
    let load = BulkLoad {
        items: (bench.options.items / 4).max(1),
        callers: 16,
        durability: Durability::Synced,
        mode: PersistMode::SyncData,
        what: "b: durable creates",
    };
    let medians = alternate(
        bench.options.rounds,
        load.items,
        || create_all(bench, &load),
        || write_all(bench, &load),
    )?;
    let what = "durable create, 16 callers";
    Ok(vec![ReportRow::share('b', what, medians, "at least 60 % of the throughput", 0.6)])
}
