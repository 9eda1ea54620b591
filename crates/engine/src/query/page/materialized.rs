//! Fills a page from a result that is known only after all items were read.
//!
//! GROUP BY, ORDER BY without an index, and DISTINCT: all items pass through one run of the query, whatever partition
//! they come from, and a page is a section of the resulting rows. The rows after the page are handed back, to be stored
//! for the next page (`result_store`). If they cannot be stored, the next page computes the result again and skips the
//! rows already returned.

use ::query::{EvaluationContext, QueryExecutor, row_text};
use bytes::Bytes;

use super::builder::{PageBuilder, RowPush};
use super::result_store::RemainingRows;
use crate::error::Result;
use crate::query::error::{evaluation_failed, time_limit_exceeded};
use crate::query::planned::PlannedQuery;
use crate::query::source::{CandidateSource, ItemContent, PageReader};

/// Items requested at a time.
const BATCH_ITEMS: usize = 512;

/// What is left of a result after a page.
pub(in crate::query) enum Rest {
    /// Nothing.
    Nothing,
    /// These rows.
    Rows(RemainingRows),
    /// Rows of which one cannot be printed. They are not stored, so that the page with that row fails and not this one.
    Unprintable,
}

/// Computes the complete result and fills a page with the rows after the first `returned`; returns what follows.
pub(in crate::query) async fn compute_page(
    reader: &mut PageReader,
    source: &mut CandidateSource,
    planned: &PlannedQuery,
    context: EvaluationContext,
    page: &mut PageBuilder,
    returned: u64,
) -> Result<Rest> {
    let index_only = planned.access.index_only.as_ref();
    let mut executor = QueryExecutor::new(planned.bound(), context);
    // Aggregates and sorts never complete early; TOP without an order does.
    while !executor.is_complete() {
        let batch = source.next(reader, BATCH_ITEMS).await?;
        for candidate in &batch.candidates {
            // Charged before evaluation: what was read is paid for even if evaluating it fails later.
            reader.charges.add_gathered(&candidate.content, index_only);
            let pushed = match &candidate.content {
                ItemContent::Record(record) => executor.push_text(record.text()),
                ItemContent::Indexed(values) => executor.push(values),
            };
            pushed.map_err(|error| evaluation_failed(&error))?;
        }
        if batch.is_last {
            break;
        }
        if !reader.yield_and_check_time().await {
            let time_max = reader.time_max().unwrap_or_default();
            // There is no position to continue from: the result exists only as a whole.
            return Err(time_limit_exceeded(time_max.as_millis()));
        }
    }
    reader.charges.counters.tuples += executor.tuples();
    let rows = executor.finish().map_err(|error| evaluation_failed(&error))?;
    let mut rest = rows.iter().skip(usize::try_from(returned).unwrap_or(usize::MAX));
    let mut first_left = None;
    for row in rest.by_ref() {
        let result = page
            .push(|| row_text(row).map(Bytes::from))
            .map_err(|error| evaluation_failed(&error))?;
        if result != RowPush::Accepted {
            first_left = Some(row);
            break;
        }
    }
    let on_page = page.rows.len() as u64;
    reader.charges.count_returned_rows(on_page);
    let Some(first_left) = first_left else { return Ok(Rest::Nothing) };
    let texts = std::iter::once(first_left).chain(rest).map(|row| row_text(row).map(Bytes::from));
    Ok(match texts.collect() {
        Ok(texts) => Rest::Rows(RemainingRows { first: returned + on_page, texts }),
        Err(_) => Rest::Unprintable,
    })
}
