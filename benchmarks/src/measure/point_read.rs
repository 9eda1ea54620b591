//! a: one item by partition key and id, against a raw get of the same record.

use fjall::Slice;
use storage_lsm::Durability;

use crate::meter::{TimeMeter, TimeSpent};
use crate::raw::RawTree;
use crate::report::ReportRow;
use crate::rounds::alternate;
use crate::run::EngineBench;
use crate::{Error, Result, data, progress};

/// Operations made at once, outside the measured time.
const CHUNK: usize = 1_000;

pub(crate) fn point_read(bench: &EngineBench) -> Result<Vec<ReportRow>> {
    let engine =
        bench.runtime.block_on(data::open(&bench.prepared.store(), Durability::Synced, None))?;
    let raw = RawTree::open(&bench.prepared.copy())?;
    let numbers = data::shuffled(bench.options.items);
    let keys = keys_in_order(&raw, &numbers)?;
    progress::step("a: point reads");
    let (mut engine_bytes, mut raw_bytes) = (0, 0);
    let medians = alternate(
        bench.options.rounds,
        bench.options.items,
        || read_all(bench, &engine, &numbers, &mut engine_bytes),
        || get_all(&raw, &keys, &mut raw_bytes),
    )?;
    if engine_bytes == 0 || raw_bytes == 0 {
        return Err("the reads found nothing".into());
    }
    bench.runtime.block_on(engine.close())?;
    // The target speaks of time, not of throughput.
    let value = medians.1.per_second / medians.0.per_second;
    let row = ReportRow::share('a', "point read, 1 caller", medians, "at most 2.0x the time", 0.5);
    Ok(vec![ReportRow { value, value_text: format!("{value:.2}x the time"), ..row }])
}

/// The storage keys of the items, found by their ids at the end of the keys.
fn keys_in_order(raw: &RawTree, numbers: &[u64]) -> Result<Vec<Slice>> {
    let mut keys = vec![Slice::empty(); numbers.len()];
    let mut places = vec![0; numbers.len()];
    for (place, number) in numbers.iter().enumerate() {
        let number = usize::try_from(*number)?;
        *places.get_mut(number).ok_or_else(|| Error::from("a number out of range"))? = place;
    }
    for guard in raw.keyspace("items")?.iter() {
        let key = guard.key()?;
        let digits = key.len().checked_sub(10).and_then(|start| key.get(start..));
        let digits = digits.ok_or_else(|| Error::from("a short key"))?;
        let number: usize = std::str::from_utf8(digits)?.parse()?;
        let slot = places.get(number).and_then(|place| keys.get_mut(*place));
        *slot.ok_or_else(|| Error::from("a key that is no item of ours"))? = key;
    }
    Ok(keys)
}

fn read_all(
    bench: &EngineBench,
    engine: &engine::Engine,
    numbers: &[u64],
    bytes: &mut u64,
) -> Result<TimeSpent> {
    let link = data::link()?;
    bench.runtime.block_on(async {
        let mut meter = TimeMeter::start()?;
        for chunk in numbers.chunks(CHUNK) {
            let reads = meter.outside(|| {
                chunk
                    .iter()
                    .map(|number| data::read_item(&link, *number))
                    .collect::<Result<Vec<_>>>()
            })?;
            for read in reads {
                let answer = engine.read_item(read).await?.value;
                *bytes += answer.item().map_or(0, |item| item.text().len() as u64);
            }
        }
        meter.stop()
    })
}

fn get_all(raw: &RawTree, keys: &[Slice], bytes: &mut u64) -> Result<TimeSpent> {
    let items = raw.keyspace("items")?;
    let meter = TimeMeter::start()?;
    for key in keys {
        let value = items.get(key)?.ok_or_else(|| Error::from("an item is missing"))?;
        *bytes += value.len() as u64;
    }
    meter.stop()
}
