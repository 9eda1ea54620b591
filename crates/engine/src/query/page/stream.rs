//! Filling a page row by row.
//!
//! Owns the loop: batches of candidates, rows of each, until the page is full, the query is complete, the time is
//! spent or nothing is left. Keeps the place exact, down to the row of an item that has several.

use super::page_rows::{PageRows, Room};
use super::rows::RowMaker;
use crate::error::Result;
use crate::query::bill::Bill;
use crate::query::source::{Batch, Reading, Source};
use crate::query::token::Progress;

/// Whether a page is followed by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    More,
    Last,
}

/// Fills a page; true when another one may follow.
pub(in crate::query) async fn fill(
    reading: &mut Reading,
    source: &mut Source,
    rows: &mut RowMaker,
    page: &mut PageRows,
    progress: &mut Progress,
) -> Result<bool> {
    let mut growth = 1;
    let end = loop {
        if page.is_complete() {
            break End::Last;
        }
        if page.is_full() {
            break End::More;
        }
        let before = page.taken + page.skipped;
        let wanted = page.wanted().saturating_mul(growth);
        let batch = source.next(reading, wanted).await?;
        let end = take(&batch, rows, page, progress, &mut reading.bill)?;
        let end = end.or(batch.is_last.then_some(End::Last));
        drop(batch);
        if let Some(end) = end {
            break end;
        }
        // A page that needs no more items need not wait for its turn either.
        if page.is_full() || page.is_complete() {
            continue;
        }
        // A filter that lets little through is asked of more items at a time.
        if page.taken + page.skipped == before {
            growth = (growth * 2).min(64);
        }
        if !reading.breathe().await {
            break End::More;
        }
    };
    reading.bill.counters.tuples += rows.tuples();
    (progress.skipped, progress.taken) = (page.skipped, page.taken);
    Ok(end == End::More)
}

/// Makes the rows of a batch; gives the end of the page when it is reached on the way.
fn take(
    batch: &Batch,
    rows: &mut RowMaker,
    page: &mut PageRows,
    progress: &mut Progress,
    bill: &mut Bill,
) -> Result<Option<End>> {
    let mut reached = None;
    let mut end = None;
    for candidate in &batch.candidates {
        // A row that nobody wants may be one that fails.
        if page.is_complete() {
            end = Some(End::Last);
            break;
        }
        let known = progress.begun.iter().position(|(ordinal, _)| *ordinal == candidate.ordinal);
        let begun = known.map_or(0, |known| progress.begun.swap_remove(known).1);
        let (seen, room) = rows.push(&candidate.content, begun, page)?;
        if seen > begun {
            bill.returned(&candidate.content);
        } else if room == Room::Taken {
            bill.passed_over(&candidate.content);
        }
        end = match room {
            Room::Taken => None,
            Room::NoneWanted => Some(End::Last),
            Room::NextPage => {
                progress.begun.extend((seen > 0).then_some((candidate.ordinal, seen)));
                Some(End::More)
            }
        };
        if end.is_some() {
            break;
        }
        reached = Some(&candidate.place);
    }
    // A batch that is read to its end may reach beyond its last candidate.
    let beyond = batch.reached.as_ref().filter(|_| end.is_none());
    if let Some(place) = beyond.or(reached) {
        progress.place = place.clone();
    }
    Ok(end)
}
