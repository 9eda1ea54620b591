//! Fills a page from a result that is known only after all items were read.
//!
//! GROUP BY, ORDER BY without an index, and DISTINCT: all items pass through one run of the query, whatever partition
//! they come from, and a page is a section of the resulting rows. The next page computes them again and skips the rows
//! already returned. This bounds memory and needs no state between requests; pages are consistent as long as nothing is
//! written in between.

use ::query::plan::access::IndexOnly;
use ::query::{BoundQuery, EvaluationContext, QueryExecutor, row_text};
use bytes::Bytes;

use super::builder::{PageBuilder, RowPush};
use crate::error::Result;
use crate::query::error::{evaluation_failed, time_limit_exceeded};
use crate::query::source::{CandidateSource, ItemContent, PageReader};

/// Items requested at a time.
const BATCH_ITEMS: usize = 512;

/// Computes the complete result and fills a page with the rows after the first `returned`; returns whether more follow.
pub(in crate::query) async fn compute_page(
    reader: &mut PageReader,
    source: &mut CandidateSource,
    bound: &BoundQuery,
    context: EvaluationContext,
    page: &mut PageBuilder,
    returned: u64,
    index_only: Option<&IndexOnly>,
) -> Result<bool> {
    let mut executor = QueryExecutor::new(bound, context);
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
    for row in rows.iter().skip(usize::try_from(returned).unwrap_or(usize::MAX)) {
        let result = page
            .push(|| row_text(row).map(Bytes::from))
            .map_err(|error| evaluation_failed(&error))?;
        if result != RowPush::Accepted {
            reader.charges.count_returned_rows(page.rows.len() as u64);
            return Ok(true);
        }
    }
    reader.charges.count_returned_rows(page.rows.len() as u64);
    Ok(false)
}
