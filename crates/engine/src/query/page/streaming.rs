//! Fills a page row by row.
//!
//! Reads batches of candidates until the page is full, TOP or LIMIT is reached, the budget is spent or nothing is left.
//! The continuation position is exact, down to the row of an item that has several. Evaluation begins on the task of
//! the request; an item that does not fit into a slice of work goes on, with all that follow, on a thread of its own.

use std::sync::Arc;

use ::query::{BudgetError, EvaluationError, Interruption};

use super::builder::{PageBuilder, RowPush};
use super::projector::{RowProjector, SeenRows};
use crate::error::Result;
use crate::query::charge::ChargeAccumulator;
use crate::query::continuation::QueryProgress;
use crate::query::error::evaluation_failed;
use crate::query::source::{Candidate, CandidateBatch, CandidateSource, PageReader};
use crate::work::RequestWork;

/// Whether another page follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageEnd {
    More,
    Last,
}

/// How far a batch was evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BatchEnd {
    /// To its end.
    Consumed,
    /// Until the page ended.
    Page(PageEnd),
    /// Until little of the slice was left.
    SliceLow,
    /// Into an item that did not fit into the slice.
    SliceEnded,
}

/// A page that is filled row by row. It owns all of its parts, so that it can move to a thread and back.
pub(in crate::query) struct StreamingPage {
    pub(in crate::query) rows: RowProjector,
    pub(in crate::query) page: PageBuilder,
    pub(in crate::query) progress: QueryProgress,
    /// Whether a full page is followed by another one even if nothing is left, as in the service for reads of all
    /// items: it stops at the last row of the page without looking further.
    pub(in crate::query) is_open_ended: bool,
    work: Arc<RequestWork>,
    /// Whether evaluation goes on on a thread.
    is_long: bool,
    /// Whether the position has moved since the page began.
    has_advanced: bool,
}

impl StreamingPage {
    /// Boxed: it is moved into every future that works on it, which would all be as large.
    pub(in crate::query) fn new(
        rows: RowProjector,
        page: PageBuilder,
        progress: QueryProgress,
        work: &Arc<RequestWork>,
    ) -> Box<Self> {
        let is_long = !rows.is_resumable();
        let work = Arc::clone(work);
        let (is_open_ended, has_advanced) = (false, false);
        Box::new(Self { rows, page, progress, is_open_ended, work, is_long, has_advanced })
    }

    /// Fills the page; returns it and whether another one may follow.
    pub(in crate::query) async fn fill(
        mut self: Box<Self>,
        reader: &mut PageReader,
        source: &mut CandidateSource,
    ) -> Result<(Box<Self>, bool)> {
        let mut growth = 1;
        let end = loop {
            if self.page.is_complete() {
                break PageEnd::Last;
            }
            // A page never crosses physical partitions: its session token and its charge are those of one.
            let is_at_end = !self.page.rows.is_empty() && is_at_partition_end(source);
            if self.page.is_full() && self.is_open_ended {
                break PageEnd::More;
            }
            if self.page.is_full() || is_at_end {
                break if find_more(source, reader).await? { PageEnd::More } else { PageEnd::Last };
            }
            let rows_before = self.page.taken + self.page.skipped;
            // As many candidates as rows are missing: without a filter, the page reads exactly what it returns.
            let wanted = self.page.rows_needed().saturating_mul(growth);
            let batch = source.next(reader, wanted).await?;
            let is_last = batch.is_last;
            let end;
            (self, end) = self.push_batch(reader, batch).await?;
            let is_last = is_last && !(self.is_open_ended && self.page.is_full());
            let end = end.or(is_last.then_some(PageEnd::Last));
            if let Some(end) = end {
                break end;
            }
            // Return a finished page at once instead of yielding first.
            if self.page.is_full() || self.page.is_complete() {
                continue;
            }
            // A selective filter rejects most items, so read more of them per batch.
            if self.page.taken + self.page.skipped == rows_before {
                growth = (growth * 2).min(64);
            }
            self.renew_slice();
            if !reader.yield_and_check_time().await {
                break PageEnd::More;
            }
        };
        reader.charges.counters.tuples += self.rows.tuples();
        (self.progress.skipped, self.progress.taken) = (self.page.skipped, self.page.taken);
        Ok((self, end == PageEnd::More))
    }

    /// Adds the rows of a batch; also returns how the page ended if it ended within the batch.
    async fn push_batch(
        mut self: Box<Self>,
        reader: &mut PageReader,
        batch: CandidateBatch,
    ) -> Result<(Box<Self>, Option<PageEnd>)> {
        let mut next = 0;
        while !self.is_long {
            match self.evaluate(&batch, &mut next, &mut reader.charges)? {
                BatchEnd::Consumed => return Ok((self, None)),
                BatchEnd::Page(end) => return Ok((self, Some(end))),
                BatchEnd::SliceLow => {
                    self.renew_slice();
                    if !reader.yield_and_check_time().await {
                        return Ok((self, Some(PageEnd::More)));
                    }
                }
                BatchEnd::SliceEnded => self.is_long = true,
            }
        }
        let mut charges = std::mem::take(&mut reader.charges);
        let (engine, work) = (reader.engine().clone(), Arc::clone(&self.work));
        let evaluate = move || {
            let end = self.evaluate(&batch, &mut next, &mut charges);
            (self, charges, end)
        };
        let (page, charges, end) = engine.evaluate(&work, evaluate).await?;
        reader.charges = charges;
        match end? {
            BatchEnd::Page(end) => Ok((page, Some(end))),
            BatchEnd::Consumed => Ok((page, None)),
            // On a thread a slice ends only if the request does.
            BatchEnd::SliceLow | BatchEnd::SliceEnded => Err(work.out_of_time()),
        }
    }

    fn renew_slice(&self) {
        self.rows.end_slice();
        self.work.begin_slice();
    }

    /// Evaluates the candidates of a batch from `next` on.
    fn evaluate(
        &mut self,
        batch: &CandidateBatch,
        next: &mut usize,
        charges: &mut ChargeAccumulator,
    ) -> Result<BatchEnd> {
        let first = *next;
        let end = self.evaluate_candidates(batch, next, charges);
        // A batch that was consumed completely may extend beyond its last candidate: rejected terms, expired items.
        let beyond = batch.reached.as_ref().filter(|_| matches!(end, Ok(BatchEnd::Consumed)));
        let last = next.checked_sub(1).filter(|_| *next > first);
        let last = last.and_then(|last| batch.candidates.get(last));
        if let Some(position) = beyond.or(last.map(|last| &last.position)) {
            self.progress.position = position.clone();
            self.has_advanced = true;
        }
        end
    }

    fn evaluate_candidates(
        &mut self,
        batch: &CandidateBatch,
        next: &mut usize,
        charges: &mut ChargeAccumulator,
    ) -> Result<BatchEnd> {
        while let Some(candidate) = batch.candidates.get(*next) {
            // Do not evaluate items beyond the limit: evaluation could fail.
            if self.page.is_complete() {
                return Ok(BatchEnd::Page(PageEnd::Last));
            }
            if let Some(end) = self.push_candidate(candidate, charges)? {
                return Ok(end);
            }
            self.has_advanced = true;
            *next += 1;
            if !self.is_long && self.rows.is_slice_low() && *next < batch.candidates.len() {
                return Ok(BatchEnd::SliceLow);
            }
        }
        Ok(BatchEnd::Consumed)
    }

    /// Adds the rows of one candidate; returns how the batch ended if it ended here.
    fn push_candidate(
        &mut self,
        candidate: &Candidate,
        charges: &mut ChargeAccumulator,
    ) -> Result<Option<BatchEnd>> {
        let mut rows = match self.rows.take_resumed() {
            Some(resumed) => resumed,
            None => SeenRows { begun: self.begun_rows(candidate.ordinal), seen: 0 },
        };
        let pushed = self.rows.push(&candidate.content, &mut rows, &mut self.page);
        if pushed
            == Err(EvaluationError::Budget(BudgetError::Interrupted(Interruption::SliceEnded)))
        {
            return Ok(Some(BatchEnd::SliceEnded));
        }
        if rows.seen > rows.begun {
            charges.add_returned(&candidate.content);
        } else if pushed == Ok(RowPush::Accepted) {
            charges.add_rejected(&candidate.content);
        }
        let end = match pushed {
            Ok(RowPush::Accepted) => return Ok(None),
            Ok(RowPush::LimitReached) => PageEnd::Last,
            Ok(RowPush::PageFull) => PageEnd::More,
            // The rows so far are a page, as in the service. But a page without progress would repeat forever.
            Err(EvaluationError::Budget(BudgetError::Interrupted(
                Interruption::OutOfTime | Interruption::OutOfWork,
            ))) => {
                if !self.has_advanced && rows.seen <= rows.begun {
                    return Err(self.work.out_of_time());
                }
                PageEnd::More
            }
            Err(error) => return Err(evaluation_failed(&error)),
        };
        // The position stays before this item; the next page reads it again and skips the rows returned so far.
        let returned = rows.seen.max(rows.begun);
        if end == PageEnd::More && returned > 0 {
            self.progress.partial_items.push((candidate.ordinal, returned));
        }
        Ok(Some(BatchEnd::Page(end)))
    }

    /// How many rows of an item earlier pages returned, after a continuation inside it.
    fn begun_rows(&mut self, ordinal: u64) -> u64 {
        let partial = &mut self.progress.partial_items;
        let known = partial.iter().position(|(known, _)| *known == ordinal);
        known.map_or(0, |known| partial.swap_remove(known).1)
    }
}

/// Whether the next candidates are in another physical partition than the last ones. Sources that merge partitions have
/// no such end.
fn is_at_partition_end(source: &CandidateSource) -> bool {
    match source {
        CandidateSource::Created(created) => created.is_at_partition_end(),
        CandidateSource::Lookup(lookup) => lookup.is_at_partition_end(),
        _ => false,
    }
}

/// Whether there may be more candidates; asked once per full page, so that a query whose end is known has no empty last
/// page.
async fn find_more(source: &mut CandidateSource, reader: &PageReader) -> Result<bool> {
    match source {
        CandidateSource::Created(created) => Box::pin(created.find_more(reader)).await,
        CandidateSource::Lookup(lookup) => Box::pin(lookup.find_more(reader)).await,
        CandidateSource::Ordered(source) => Box::pin(source.find_more(reader)).await,
        _ => Ok(true),
    }
}
