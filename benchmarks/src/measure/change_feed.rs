//! d: the change feed from its beginning to its end, against a raw scan of the change log.

use engine::Engine;
use engine::change_feed::{ChangeFeedMode, ChangeFeedStart, ReadChangeFeed};
use model::FeedRange;
use storage_lsm::Durability;

use crate::meter::{TimeMeter, TimeSpent};
use crate::raw::RawTree;
use crate::report::ReportRow;
use crate::rounds::alternate;
use crate::run::EngineBench;
use crate::{Result, data, progress};

const PAGE_ITEMS: usize = 1_000;

pub(crate) fn change_feed(bench: &EngineBench) -> Result<Vec<ReportRow>> {
    let engine =
        bench.runtime.block_on(data::open(&bench.prepared.store(), Durability::Synced, None))?;
    let raw = RawTree::open(&bench.prepared.copy())?;
    progress::step("d: change feed");
    let items = bench.options.items;
    let medians = alternate(
        bench.options.rounds,
        items,
        || bench.runtime.block_on(read_feed(&engine, items)),
        || scan_log(&raw, items),
    )?;
    bench.runtime.block_on(engine.close())?;
    let what = "change feed from beginning to end, pages of 1,000";
    Ok(vec![ReportRow::share('d', what, medians, "at least 50 % of the throughput", 0.5)])
}

async fn read_feed(engine: &Engine, items: u64) -> Result<TimeSpent> {
    let container = data::link()?;
    let meter = TimeMeter::start()?;
    let mut start = ChangeFeedStart::Beginning;
    let mut changes = 0;
    loop {
        let read = ReadChangeFeed {
            container: container.clone(),
            feed_range: FeedRange::Container,
            mode: ChangeFeedMode::LatestVersion,
            start,
            items_max: Some(PAGE_ITEMS),
        };
        let page = engine.read_change_feed(read).await?.value;
        changes += page.changes.len() as u64;
        if !page.more {
            break;
        }
        start = ChangeFeedStart::Continuation(page.continuation);
    }
    finish(meter, changes, items)
}

fn scan_log(raw: &RawTree, items: u64) -> Result<TimeSpent> {
    let meter = TimeMeter::start()?;
    let mut entries = 0;
    for guard in raw.keyspace("change_log")?.iter() {
        let (_, value) = guard.into_inner()?;
        entries += u64::from(!value.is_empty());
    }
    finish(meter, entries, items)
}

fn finish(meter: TimeMeter, found: u64, items: u64) -> Result<TimeSpent> {
    let spent = meter.stop()?;
    if found == items { Ok(spent) } else { Err(format!("{found} changes of {items}").into()) }
}
