//! One page of a query, from operation to outcome.
//!
//! Owns the order of the steps: bind, find the part of the container, take a snapshot while its partitions still
//! answer for it, choose the source, fill the page, name the next place. Does not own any step.

use std::sync::Arc;

use ::query::EvaluationContext;
use ::query::bind::Ordering;
use model::limits::PAGE_ITEMS_DEFAULT;
use model::{FeedRange, SessionToken};
use storage::Read;

use super::answer::QueryPage;
use super::bill::Bill;
use super::page::{PageRows, RowMaker, compute, fill};
use super::part::{Piece, check, pieces, targets};
use super::prepared::{Filtered, Prepared, common_indexes, context};
use super::refusal::token_refused;
use super::request::QueryItems;
use super::source::{Choice, Reading, Source};
use super::token::{Place, Progress};
use crate::catalog::Container;
use crate::engine::Engine;
use crate::error::Result;
use crate::key_layout::LogicalPartition;
use crate::outcome::Outcome;
use crate::partition::Partition;
use crate::session;
use crate::usage::{Amount, OperationKind, PageUse, Visits};

/// What a page is read from: parts of a container and a view of them that no split or merge can disturb.
pub(super) struct Opened {
    pub(super) pieces: Vec<Piece>,
    pub(super) view: Arc<dyn Read>,
    pub(super) session_token: SessionToken,
}

impl Engine {
    /// Runs one page of a query: the finished answer over all partitions of its feed range.
    ///
    /// # Errors
    /// `BadQuery` for a wrong text or a value without an answer, `ContinuationRefused` for a token of another query,
    /// `SessionNotAvailable` for a session token from the future, `OutOfTime` when the time is spent before a row.
    pub async fn query_items(&self, operation: QueryItems) -> Result<Outcome<QueryPage>> {
        let started = self.stopwatch();
        let container = self.container(&operation.container)?;
        check(&container, &operation.feed_range)?;
        let progress = Progress::of(&operation, &container.identity.rid)?;
        let statement =
            self.statement(&container.live(), &operation.text, &operation.parameters)?;
        let query = statement.query.as_ref();
        if !query.bound.user_functions.is_empty() {
            Box::pin(self.refuse_user_functions(&container, &query.bound)).await?;
        }
        let bound_after = self.stopwatch();
        let opened = self.open_parts(&container, &operation, query).await?;
        let visits = self.visit_parts(&container, &opened.pieces)?;
        let opening_time = self.stopwatch().saturating_sub(bound_after);
        let live = container.live();
        let followed = common_indexes(opened.view.as_ref(), &live, &opened.pieces).await?;
        let prepared = statement.planned(followed.indexes)?;
        let compile_time = self.stopwatch().saturating_sub(started + opening_time);
        let session_token = opened.session_token.clone();
        let view = (Arc::clone(&opened.view), followed.states);
        let mut reading = Reading::new(self, view, &container.identity, &live, &operation.limits);
        reading.metrics.compile_time = compile_time;
        reading.bill = Bill::new(followed.held);
        let mut value = self.run(&mut reading, &opened, &prepared, &operation, progress).await?;
        reading.metrics.total_time = self.stopwatch().saturating_sub(started);
        value.metrics = reading.metrics;
        let (counters, level) = (reading.bill.finished(), self.read_level(&operation.options));
        let charge = counters.charge(level);
        let explain = operation.options.explain_charge;
        let explanation = explain.then(|| self.explained("query", counters.terms(level)));
        let metrics = &value.metrics;
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let (items, bytes) = (count(metrics.output_items), count(metrics.output_bytes));
        visits.spent(charge, Amount { items, bytes });
        self.look_at_query(
            &container,
            &operation,
            &PageUse {
                text: &operation.text,
                charge,
                is_across: !visits.is_confined(),
                partitions: visits.partitions(),
                metrics,
                generation: live.generation,
                index_metrics: &|| prepared.index_metrics(),
            },
        );
        Ok(Outcome { value, charge, session_token: Some(session_token), explanation })
    }

    /// Passes the gates of the partitions that a query reads.
    fn visit_parts<'a>(&self, container: &'a Container, pieces: &'a [Piece]) -> Result<Visits<'a>> {
        let mut partitions: Vec<Arc<Partition>> = Vec::new();
        for piece in pieces {
            let number = piece.partition.identity.number;
            if !partitions.iter().any(|known| known.identity.number == number) {
                partitions.push(Arc::clone(&piece.partition));
            }
        }
        let logical = match pieces {
            [only] => only.logical.as_ref().map(LogicalPartition::logical),
            _ => None,
        };
        Visits::begin(container, partitions, OperationKind::Query, self.now(), logical)
    }

    /// Finds the parts of a container that a query reads and takes a snapshot of them.
    pub(super) async fn open_parts(
        &self,
        container: &Container,
        operation: &QueryItems,
        query: &Filtered,
    ) -> Result<Opened> {
        loop {
            match self.open_parts_once(container, operation, query).await? {
                Ok(opened) => return Ok(opened),
                Err(retired) => Box::pin(self.map_after(container, &retired)).await?,
            }
        }
    }

    async fn open_parts_once(
        &self,
        container: &Container,
        operation: &QueryItems,
        query: &Filtered,
    ) -> Result<std::result::Result<Opened, Arc<Partition>>> {
        let (_, targets) = targets(container, &operation.feed_range, query);
        let pieces = pieces(&container.map(), &targets);
        let mut session_token = SessionToken::default();
        for piece in &pieces {
            session::check(operation.options.session_token.as_ref(), &piece.partition)?;
            let number = piece.partition.identity.number;
            session_token.advance(number, piece.partition.published.lsn());
        }
        let view = self.store().snapshot().await?;
        for piece in &pieces {
            if piece.partition.published.is_retired() {
                return Ok(Err(Arc::clone(&piece.partition)));
            }
        }
        Ok(Ok(Opened { pieces, view, session_token }))
    }

    async fn run(
        &self,
        reading: &mut Reading,
        opened: &Opened,
        prepared: &Prepared,
        operation: &QueryItems,
        mut progress: Progress,
    ) -> Result<QueryPage> {
        let bound = prepared.bound();
        let context = context(self, &reading.live, &operation.limits);
        let rows_max = operation.page.items_max.unwrap_or(PAGE_ITEMS_DEFAULT).max(1);
        let bytes_max = operation.limits.response_bytes_max;
        let identity = Arc::clone(&reading.identity);
        let choice = Choice::new(prepared, &opened.pieces, &identity.definition, &context);
        let charged = match &operation.feed_range {
            FeedRange::PartitionKey(_) => choice.lookup(),
            _ => &prepared.access.lookup,
        };
        let (page, more) = match streamed(reading, &choice, prepared, &context, &progress).await? {
            Some((mut source, mut maker)) => {
                reading.bill.plan(prepared, &source, choice.lookup(), charged);
                let mut page = PageRows::new(bound, &progress, rows_max, bytes_max);
                let more = fill(reading, &mut source, &mut maker, &mut page, &mut progress).await?;
                if more {
                    progress.plan = choice.fingerprint();
                }
                (page, more)
            }
            None => {
                let given = given_rows(&progress)?;
                let begun = (given > 0).then_some(progress.plan);
                let (mut source, order) = choice.whole(begun)?;
                progress.plan = order;
                reading.bill.plan(prepared, &source, choice.lookup(), charged);
                let mut page = PageRows::plain(rows_max, bytes_max);
                let index_only = prepared.access.index_only.as_ref();
                let context = context.clone();
                let run =
                    compute(reading, &mut source, bound, context, &mut page, given, index_only);
                let more = Box::pin(run).await?;
                progress.place = Place::Rows(given + page.rows.len() as u64);
                (page, more)
            }
        };
        reading.metrics.output_items = page.rows.len() as u64;
        reading.metrics.output_bytes = page.bytes() as u64;
        Ok(QueryPage {
            continuation: more.then(|| progress.to_token(operation, &reading.identity.rid)),
            rows: page.rows,
            metrics: Default::default(),
            index_metrics: operation.wants_index_metrics.then(|| prepared.index_metrics()),
        })
    }
}

/// The source of a query whose rows follow their items one by one; none when they are known only as a whole.
async fn streamed(
    reading: &mut Reading,
    choice: &Choice<'_>,
    prepared: &Prepared,
    context: &EvaluationContext,
    progress: &Progress,
) -> Result<Option<(Source, RowMaker)>> {
    let bound = prepared.bound();
    if matches!(progress.place, Place::Rows(_)) {
        return Ok(None);
    }
    let Some(mut maker) = RowMaker::new(bound, context) else { return Ok(None) };
    let source = if bound.output.distinct {
        choice.distinct(&progress.place)?
    } else if bound.order_by == Ordering::None {
        Some(choice.unordered(&progress.place, progress.plan)?)
    } else {
        match choice.sorted(reading, &progress.place).await? {
            Some(sorted) => Some(sorted),
            None => choice.ordered(&progress.place)?,
        }
    };
    if source.as_ref().is_some_and(|source| choice.is_answered_by(source)) {
        maker.trust_source();
    }
    Ok(source.map(|source| (source, maker)))
}

fn given_rows(progress: &Progress) -> Result<u64> {
    match &progress.place {
        Place::Start => Ok(0),
        Place::Rows(rows) => Ok(*rows),
        _ => Err(token_refused("its place is of another kind")),
    }
}
