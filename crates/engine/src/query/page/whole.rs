//! Answers that are known only when every item is.
//!
//! Owns groups, sorted rows and distinct rows: all items go through one run of the query, whatever partition they
//! come from, and a page is a part of its rows. The next page computes them again and goes on behind the rows given:
//! simple, bounded in memory, and exact as long as nothing is written between two pages.

use ::query::plan::access::IndexOnly;
use ::query::{BoundQuery, EvaluationContext, Executor, row_text};
use bytes::Bytes;

use super::page_rows::{PageRows, Room};
use crate::error::Result;
use crate::query::refusal::{failed, out_of_time};
use crate::query::source::{Content, Reading, Source};

/// Items asked for at a time.
const BATCH_ITEMS: usize = 512;

/// Computes the rows and fills a page with those behind `given`; true when more are left.
pub(in crate::query) async fn compute(
    reading: &mut Reading,
    source: &mut Source,
    bound: &BoundQuery,
    context: EvaluationContext,
    page: &mut PageRows,
    given: u64,
    index_only: Option<&IndexOnly>,
) -> Result<bool> {
    let mut executor = Executor::new(bound, context);
    while !executor.is_complete() {
        let batch = source.next(reading, BATCH_ITEMS).await?;
        for candidate in &batch.candidates {
            reading.bill.gathered(&candidate.content, index_only);
            let pushed = match &candidate.content {
                Content::Record(record) => executor.push_text(record.text()),
                Content::Indexed(values) => executor.push(values),
            };
            pushed.map_err(|error| failed(&error))?;
        }
        if batch.is_last {
            break;
        }
        if !reading.breathe().await {
            let time_max = reading.time_max().unwrap_or_default();
            return Err(out_of_time(time_max.as_millis()));
        }
    }
    reading.bill.counters.tuples += executor.tuples();
    let rows = executor.finish().map_err(|error| failed(&error))?;
    for row in rows.iter().skip(usize::try_from(given).unwrap_or(usize::MAX)) {
        let room = page.push(|| row_text(row).map(Bytes::from)).map_err(|error| failed(&error))?;
        if room != Room::Taken {
            reading.bill.returned_rows(page.rows.len() as u64);
            return Ok(true);
        }
    }
    reading.bill.returned_rows(page.rows.len() as u64);
    Ok(false)
}
