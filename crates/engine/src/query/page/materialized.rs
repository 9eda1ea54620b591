//! Fills a page from a result that is known only after all items were read.
//!
//! GROUP BY, ORDER BY without an index, and DISTINCT: all items pass through one run of the query, whatever partition
//! they come from, and a page is a section of the resulting rows. The rows after the page are handed back, to be stored
//! for the next page (`result_store`). If they cannot be stored, the next page computes the result again and skips the
//! rows already returned.
//!
//! Evaluation begins on the task of the request, like that of a page that is filled row by row.

use std::sync::Arc;

use ::query::plan::access::IndexOnly;
use ::query::{
    BudgetError, EvaluationContext, EvaluationError, Interruption, QueryExecutor, SLICE_UNITS,
    row_text,
};
use bytes::Bytes;

use super::builder::{PageBuilder, RowPush};
use super::result_store::RemainingRows;
use crate::error::Result;
use crate::query::error::{evaluation_failed, time_limit_exceeded};
use crate::query::planned::PlannedQuery;
use crate::query::source::{Candidate, CandidateSource, ItemContent, PageReader};
use crate::work::RequestWork;

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

/// A run of a query over all items. It owns all of its parts, so that it can move to a thread and back.
pub(in crate::query) struct MaterializedRun {
    executor: QueryExecutor,
    index_only: Option<IndexOnly>,
    work: Arc<RequestWork>,
    /// Whether evaluation goes on on a thread.
    is_long: bool,
}

impl MaterializedRun {
    pub(in crate::query) fn new(
        planned: &PlannedQuery,
        context: EvaluationContext,
        work: &Arc<RequestWork>,
    ) -> Self {
        let executor = QueryExecutor::new(planned.bound(), context);
        let is_long = !executor.is_resumable();
        let index_only = planned.access.index_only.clone();
        Self { executor, index_only, work: Arc::clone(work), is_long }
    }

    /// Computes the complete result and fills a page with the rows after the first `returned`; returns what follows.
    pub(in crate::query) async fn compute(
        mut self,
        reader: &mut PageReader,
        source: &mut CandidateSource,
        page: &mut PageBuilder,
        returned: u64,
    ) -> Result<Rest> {
        // Aggregates and sorts never complete early; TOP without an order does.
        while !self.executor.is_complete() {
            let batch = source.next(reader, BATCH_ITEMS).await?;
            let is_last = batch.is_last;
            // Charged before evaluation: what was read is paid for even if evaluating it fails later.
            for candidate in &batch.candidates {
                reader.charges.add_gathered(&candidate.content, self.index_only.as_ref());
            }
            self = self.push_batch(reader, batch.candidates).await?;
            if is_last {
                break;
            }
            self.renew_slice();
            if !reader.yield_and_check_time().await {
                // There is no position to continue from: the result exists only as a whole.
                return Err(self.out_of_time());
            }
        }
        reader.charges.counters.tuples += self.executor.tuples();
        let rest = self.finish(reader, page, returned).await?;
        reader.charges.count_returned_rows(page.rows.len() as u64);
        Ok(rest)
    }

    async fn push_batch(
        mut self,
        reader: &mut PageReader,
        candidates: Vec<Candidate>,
    ) -> Result<Self> {
        let mut next = 0;
        while !self.is_long {
            let Some(candidate) = candidates.get(next) else { return Ok(self) };
            match push(&mut self.executor, candidate) {
                Ok(()) => next += 1,
                Err(EvaluationError::Budget(BudgetError::Interrupted(
                    Interruption::SliceEnded,
                ))) => self.is_long = true,
                Err(error) => return Err(evaluation_failed(&error)),
            }
            if !self.is_long && self.executor.is_slice_low() {
                self.renew_slice();
                if !reader.yield_and_check_time().await {
                    return Err(self.out_of_time());
                }
            }
        }
        let work = Arc::clone(&self.work);
        let evaluate = move || {
            let mut left = candidates.iter().skip(next);
            let pushed = left.try_for_each(|candidate| push(&mut self.executor, candidate));
            (self, pushed)
        };
        let (run, pushed) = reader.engine().clone().evaluate(&work, evaluate).await?;
        pushed.map_err(|error| evaluation_failed(&error))?;
        Ok(run)
    }

    /// Fills the page. What the last rows cost is known beforehand for most queries: only the others need a thread.
    async fn finish(
        self,
        reader: &PageReader,
        page: &mut PageBuilder,
        returned: u64,
    ) -> Result<Rest> {
        let Self { executor, work, .. } = self;
        executor.end_slice();
        if executor.finish_units().is_some_and(|units| units <= SLICE_UNITS / 2) {
            work.allow_rest();
            return finish_page(executor, page, returned);
        }
        // The page moves to the thread and back; an empty one takes its place meanwhile.
        let mut moved = std::mem::replace(page, PageBuilder::without_window(0, 0));
        let finish = move || {
            let rest = finish_page(executor, &mut moved, returned);
            (moved, rest)
        };
        let rest;
        (*page, rest) = reader.engine().clone().evaluate(&work, finish).await?;
        rest
    }

    fn renew_slice(&self) {
        self.executor.end_slice();
        self.work.begin_slice();
    }

    fn out_of_time(&self) -> crate::Error {
        time_limit_exceeded(self.work.time_max().unwrap_or_default().as_millis())
    }
}

fn push(executor: &mut QueryExecutor, candidate: &Candidate) -> Result<(), EvaluationError> {
    match &candidate.content {
        ItemContent::Record(record) => executor.push_text(record.text()),
        ItemContent::Indexed(values) => executor.push(values),
    }
}

fn finish_page(executor: QueryExecutor, page: &mut PageBuilder, returned: u64) -> Result<Rest> {
    let (mut passed, mut failure, mut rest) = (0, None, Rest::Nothing);
    // Printed row by row, while the budget of the query is still asked for each of them.
    let finished = executor.finish_while(|row| {
        let text = || row_text(&row).map(Bytes::from);
        passed += 1;
        if passed <= returned {
            return true;
        }
        if let Rest::Nothing = rest {
            match page.push(text) {
                Ok(RowPush::Accepted) => return true,
                Ok(_) => {}
                Err(error) => {
                    failure = Some(error);
                    return false;
                }
            }
        }
        match (text(), &mut rest) {
            (Ok(text), Rest::Rows(rows)) => rows.texts.push(text),
            (Ok(text), _) => {
                let first = returned + page.rows.len() as u64;
                rest = Rest::Rows(RemainingRows { first, texts: vec![text] });
            }
            (Err(_), _) => {
                rest = Rest::Unprintable;
                return false;
            }
        }
        true
    });
    match finished.err().or(failure) {
        Some(error) => Err(evaluation_failed(&error)),
        None => Ok(rest),
    }
}
