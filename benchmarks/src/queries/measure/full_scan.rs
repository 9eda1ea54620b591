//! Row 5: a filter on a path without index terms, over everything, beside the same in other databases.
//!
//! Owns the comparison: bytes of stored JSON per second of processor time, counted alike on every side.

use engine::operation::{ListItems, PageOptions};
use engine::query::QueryItems;
use model::{FeedRange, Json};
use query::Parameters;

use crate::meter::{TimeMeter, TimeSpent};
use crate::queries::ask::all_pages;
use crate::queries::data::{link, remark, remarks};
use crate::queries::peer::{PeerFigure, Scanning, postgresql, sqlite};
use crate::queries::report::ScanRow;
use crate::queries::run::{QueryBench, Subject};
use crate::rounds::middle;
use crate::{Result, progress};

const TEXT: &str = "SELECT VALUE c.id FROM c WHERE c.remark = @remark";
/// JSON that one measurement goes through at least: the kernel counts processor time in hundredths of a second.
const BYTES_MIN: u64 = 1_000_000_000;
/// What one item is taken for when the repeats are chosen.
const ITEM_BYTES: u64 = 1_000;
const PAGE_ITEMS: usize = 1_000;

pub(in crate::queries) fn full_scan(bench: &QueryBench, subject: &Subject) -> Result<ScanRow> {
    let Subject { items, .. } = subject;
    progress::step(&format!("5: full scan of {items} items"));
    let texts = bench.runtime.block_on(texts(subject))?;
    let looked_for = remark(7);
    let scanning = Scanning {
        texts: &texts,
        rows: remarks(*items).filter(|remark| *remark == looked_for).count() as u64,
        remark: looked_for,
        repeats: repeats(*items)?,
    };
    let mut spent: Vec<TimeSpent> = Vec::new();
    for _ in 0..bench.rounds {
        spent.push(engine_scan(bench, subject, &scanning)?);
    }
    let bytes = scanning.bytes();
    let figure = |time: fn(&TimeSpent) -> std::time::Duration| {
        PeerFigure::of(bytes, middle(spent.iter().map(time).collect()))
    };
    Ok(ScanRow {
        items: *items,
        engine: figure(|spent| spent.cpu),
        engine_wall: figure(|spent| spent.wall),
        sqlite: sqlite(&scanning)?,
        postgresql: postgresql(&scanning)?,
    })
}

/// As many as it takes to measure; a tiny data set is not worth a minute.
fn repeats(items: u64) -> Result<u32> {
    let repeats = (BYTES_MIN / (items * ITEM_BYTES)).min(items / 100).max(1);
    Ok(u32::try_from(repeats)?)
}

fn engine_scan(bench: &QueryBench, subject: &Subject, scanning: &Scanning) -> Result<TimeSpent> {
    let meter = TimeMeter::start()?;
    for _ in 0..scanning.repeats {
        let mut query = QueryItems::new(link()?, TEXT);
        let remark = Json::from(scanning.remark.as_str());
        query.parameters = Parameters::from_iter([("@remark", Some(remark))]);
        query.page.items_max = Some(PAGE_ITEMS);
        let found = bench.runtime.block_on(all_pages(&subject.engine, query))?;
        if found != scanning.rows {
            return Err(format!("the scan found {found} rows, not {}", scanning.rows).into());
        }
    }
    meter.stop()
}

/// The stored text of every item.
async fn texts(subject: &Subject) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    let mut continuation = None;
    loop {
        let list = ListItems {
            container: link()?,
            feed_range: FeedRange::Container,
            page: PageOptions { items_max: Some(PAGE_ITEMS), continuation },
            options: Default::default(),
        };
        let page = subject.engine.list_items(list).await?.value;
        for item in &page.items {
            texts.push(String::from_utf8(item.text().to_vec())?);
        }
        continuation = page.continuation;
        if continuation.is_none() {
            return Ok(texts);
        }
    }
}
