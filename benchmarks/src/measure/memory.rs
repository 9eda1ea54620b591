//! f: resident memory while loading and after opening, against what the settings allow.

use storage_lsm::LsmSettings;

use crate::Result;
use crate::child::{ChildTask, number, spawn};
use crate::report::ReportRow;
use crate::run::EngineBench;

/// Spaces that a load fills: items, terms, change log.
const FILLED_SPACES: u64 = 3;
/// Memtables of a space at most: the one being filled and those the store lets wait to be written.
const MEMTABLES: u64 = 4;
/// Code, stacks, table indexes and filters, and what the allocator keeps.
const OVERHEAD_BYTES: u64 = 128 * 1024 * 1024;

pub(crate) fn memory(bench: &EngineBench) -> Result<Vec<ReportRow>> {
    let settings = LsmSettings::default();
    let allowed = settings.block_cache_bytes
        + settings.read_cache_bytes
        + FILLED_SPACES * MEMTABLES * settings.memtable_bytes_max
        + OVERHEAD_BYTES;
    let loading = &bench.prepared.loading;
    let store = bench.prepared.store();
    let child = spawn(&bench.options.program, ChildTask::Open, &store, bench.options.items, None)?;
    let opened = child.measured("opening the store")?;
    let quarter = mebibytes(number(loading, "peak_after_quarter")?);
    let peak = mebibytes(number(loading, "peak")?);
    let resident = mebibytes(number(&opened, "resident")?);
    let allowed = mebibytes(allowed);
    let target = "at most what the settings allow, 608 MiB";
    let peak_text = format!("{peak:.0} MiB ({quarter:.0} MiB after a quarter)");
    Ok(vec![
        ReportRow::limit('f', "peak memory of loading", peak_text, peak, target, allowed),
        ReportRow::limit(
            'f',
            "memory after opening",
            format!("{resident:.0} MiB"),
            resident,
            target,
            allowed,
        ),
    ])
}

#[expect(clippy::cast_precision_loss, reason = "a number for people")]
fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
