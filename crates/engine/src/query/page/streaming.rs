//! Fills a page row by row.
//!
//! Reads batches of candidates until the page is full, TOP or LIMIT is reached, the time is up or nothing is left. The
//! continuation position is exact, down to the row of an item that has several.

use super::builder::{PageBuilder, RowPush};
use super::projector::RowProjector;
use crate::error::Result;
use crate::query::charge::ChargeAccumulator;
use crate::query::continuation::QueryProgress;
use crate::query::source::{CandidateBatch, CandidateSource, PageReader};

/// Whether another page follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageEnd {
    More,
    Last,
}

/// Fills a page; returns whether another one may follow.
pub(in crate::query) async fn fill_page(
    reader: &mut PageReader,
    source: &mut CandidateSource,
    rows: &mut RowProjector,
    page: &mut PageBuilder,
    progress: &mut QueryProgress,
) -> Result<bool> {
    let mut growth = 1;
    let end = loop {
        if page.is_complete() {
            break PageEnd::Last;
        }
        // A page never crosses physical partitions: its session token and its charge are those of one.
        let is_at_end = !page.rows.is_empty() && is_at_partition_end(source);
        if page.is_full() || is_at_end {
            break if has_more(source, reader).await? { PageEnd::More } else { PageEnd::Last };
        }
        let rows_before = page.taken + page.skipped;
        // As many candidates as rows are missing: without a filter, the page reads exactly what it returns.
        let wanted = page.rows_needed().saturating_mul(growth);
        let batch = source.next(reader, wanted).await?;
        let end = push_batch(&batch, rows, page, progress, &mut reader.charges)?;
        let end = end.or(batch.is_last.then_some(PageEnd::Last));
        // Frees the loaded items before the next batch is loaded, and before the task may be parked.
        drop(batch);
        if let Some(end) = end {
            break end;
        }
        // Return a finished page at once instead of yielding first.
        if page.is_full() || page.is_complete() {
            continue;
        }
        // A selective filter rejects most items, so read more of them per batch.
        if page.taken + page.skipped == rows_before {
            // Bounded, because one batch is not interrupted by the time limit.
            growth = (growth * 2).min(64);
        }
        if !reader.yield_and_check_time().await {
            break PageEnd::More;
        }
    };
    reader.charges.counters.tuples += rows.tuples();
    (progress.skipped, progress.taken) = (page.skipped, page.taken);
    Ok(end == PageEnd::More)
}

/// Whether the next candidates are in another physical partition than the last ones. Sources that merge partitions have
/// no such end.
fn is_at_partition_end(source: &CandidateSource) -> bool {
    match source {
        CandidateSource::Scan(scan) => scan.is_at_partition_end(),
        CandidateSource::Lookup(lookup) => lookup.is_at_partition_end(),
        _ => false,
    }
}

/// Whether there may be more candidates; asked once per full page, so that a query whose end is known has no empty last
/// page.
async fn has_more(source: &mut CandidateSource, reader: &PageReader) -> Result<bool> {
    match source {
        CandidateSource::Scan(scan) => scan.has_more(reader).await,
        CandidateSource::Lookup(lookup) => Box::pin(lookup.has_more(reader)).await,
        CandidateSource::Ordered(source) => Box::pin(source.has_more(reader)).await,
        _ => Ok(true),
    }
}

/// Adds the rows of a batch; returns how the page ended if it ended within the batch.
fn push_batch(
    batch: &CandidateBatch,
    rows: &mut RowProjector,
    page: &mut PageBuilder,
    progress: &mut QueryProgress,
    charges: &mut ChargeAccumulator,
) -> Result<Option<PageEnd>> {
    let mut reached = None;
    let mut end = None;
    for candidate in &batch.candidates {
        // Do not evaluate items beyond the limit: evaluation could fail.
        if page.is_complete() {
            end = Some(PageEnd::Last);
            break;
        }
        // After a continuation inside an item, skip the rows that the previous page returned.
        let known =
            progress.partial_items.iter().position(|(ordinal, _)| *ordinal == candidate.ordinal);
        // Removed when it is met: an ordinal that stays in the token would be searched for on every later page.
        let begun = known.map_or(0, |known| progress.partial_items.swap_remove(known).1);
        let (seen, result) = rows.push(&candidate.content, begun, page)?;
        if seen > begun {
            charges.add_returned(&candidate.content);
        // An item that did not fit is charged by the page that returns it.
        } else if result == RowPush::Accepted {
            charges.add_rejected(&candidate.content);
        }
        end = match result {
            RowPush::Accepted => None,
            RowPush::LimitReached => Some(PageEnd::Last),
            RowPush::PageFull => {
                // The position stays before this item; the next page reads it again and skips `seen` rows.
                progress.partial_items.extend((seen > 0).then_some((candidate.ordinal, seen)));
                Some(PageEnd::More)
            }
        };
        if end.is_some() {
            break;
        }
        // Only after the whole item: a position behind it would lose its remaining rows.
        reached = Some(&candidate.position);
    }
    // A batch that was consumed completely may extend beyond its last candidate: rejected terms, expired items.
    let beyond = batch.reached.as_ref().filter(|_| end.is_none());
    if let Some(position) = beyond.or(reached) {
        progress.position = position.clone();
    }
    Ok(end)
}
