//! A prepared query.
//!
//! Owns how inputs and stages are connected: items are pushed through the inputs into the stages, and after the last
//! item the remaining rows come out. A subquery is the same thing, run from start to end for one row of the query
//! around it. Does not own inputs nor stages.

use super::source::{PreparedRoot, PreparedSource};
use super::stage::{Stages, StagesState};
use super::unnest::unnest;
use crate::bind::BoundQuery;
use crate::evaluate::{
    EvaluationEnvironment, EvaluationError, EvaluationScope, Flow, Preparation, RowSink,
    StopReason, Subquery, flow_result,
};
use crate::value::Value;

/// A prepared query.
#[derive(Debug)]
pub(super) struct Pipeline {
    /// The query in FROM that reads the items and feeds its rows to the first input, if there is one.
    feed: Option<Box<Pipeline>>,
    sources: Vec<PreparedSource>,
    stages: Stages,
}

/// The state of a running query. It is separate from the pipeline, so that one prepared subquery can run once per row.
#[derive(Debug)]
pub(super) struct PipelineState {
    feed: Option<Box<PipelineState>>,
    stages: StagesState,
}

/// How many rows of one item went through the stages.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowProgress {
    pub(super) rows: u64,
    /// The elements that the query had iterated after the last of them.
    pub(super) tuples: u64,
}

impl Pipeline {
    pub(super) fn prepare(query: &BoundQuery, around: &Preparation<'_>) -> Self {
        let mut preparation = around.clone();
        let mut sources = Vec::with_capacity(query.sources.len());
        let mut feed = None;
        for bound in &query.sources {
            // An input sees only the slots before it, so its own slot is added afterwards.
            let (source, inner) = PreparedSource::prepare(bound, &preparation);
            preparation.slot_paths.push(bound);
            // Only the first input can read the container; the binder refuses any other.
            feed = feed.or(inner);
            sources.push(source);
        }
        let stages = Stages::prepare(query, &preparation);
        Self { feed, sources, stages }
    }

    /// Prepares a query inside an expression.
    pub(super) fn subquery(query: &BoundQuery, around: &Preparation<'_>) -> Box<dyn Subquery> {
        Box::new(Self::prepare(query, around))
    }

    /// Whether items must be pushed; otherwise the rows come from the slots around the query.
    pub(super) fn reads_container(&self) -> bool {
        self.sources.iter().any(|source| matches!(source.root, PreparedRoot::Item))
    }

    /// Whether the rows of an item are known as soon as the item is pushed.
    pub(super) fn is_streaming(&self) -> bool {
        self.stages.is_streaming() && self.feed.as_ref().is_none_or(|feed| feed.is_streaming())
    }

    pub(super) fn start(&self) -> PipelineState {
        let feed = self.feed.as_ref().map(|feed| Box::new(feed.start()));
        PipelineState { feed, stages: self.stages.start() }
    }

    /// Whether no further item can change the result.
    pub(super) fn is_complete(&self, state: &PipelineState) -> bool {
        self.stages.is_complete(&state.stages)
    }

    /// Pushes an item. `progress` counts its rows that went through the stages; if it is not zero, the item was pushed
    /// before and its first rows are left out.
    pub(super) fn push(
        &self,
        state: &mut PipelineState,
        environment: &EvaluationEnvironment<'_>,
        item: &Value,
        progress: &mut RowProgress,
        emit: &mut RowSink<'_>,
    ) -> Flow {
        let PipelineState { feed, stages } = state;
        match (&self.feed, feed) {
            // Rows of the inner query flow on at once, unless one of its stages keeps them.
            (Some(query), Some(feed)) => {
                query.push(feed, environment, item, progress, &mut |row| {
                    let mut every = RowProgress::default();
                    self.take(stages, environment, &[], &row, &mut every, emit)
                })
            }
            _ if self.reads_container() => {
                self.take(stages, environment, &[], item, progress, emit)
            }
            _ => Ok(()),
        }
    }

    /// Whether an item that was interrupted can be pushed again. A row of a query that feeds another one changes the
    /// state of both, so that it is unknown which of the two had taken it.
    pub(super) fn is_resumable(&self) -> bool {
        self.feed.is_none()
    }

    /// The units that `finish` will spend; `None` if they have no bound.
    pub(super) fn finish_units(&self, state: &PipelineState) -> Option<u64> {
        if self.sources.is_empty() {
            return self.stages.row_units();
        }
        let is_plain = self.feed.is_none() && self.reads_container();
        if is_plain { self.stages.finish_units(&state.stages) } else { None }
    }

    /// Whether the rows of an item do not depend on earlier items.
    pub(super) fn is_stateless(&self) -> bool {
        self.stages.is_stateless() && self.feed.as_ref().is_none_or(|feed| feed.is_stateless())
    }

    /// Emits the rows that had to wait for the last item. `outer` are the slots of the queries around.
    pub(super) fn finish(
        &self,
        state: &mut PipelineState,
        environment: &EvaluationEnvironment<'_>,
        outer: &[Value],
        emit: &mut RowSink<'_>,
    ) -> Flow {
        let PipelineState { feed, stages } = state;
        if let (Some(query), Some(feed)) = (&self.feed, feed) {
            // `Enough` can only come from a stage that passes rows on immediately, so no rows are left behind in it: a
            // stage that keeps rows never stops early.
            flow_result(query.finish(feed, environment, outer, &mut |row| {
                let mut every = RowProgress::default();
                self.take(stages, environment, outer, &row, &mut every, emit)
            }))?;
        } else if !self.reads_container() {
            // A query without items has one row, of no inputs; `SELECT 1` returns it.
            let mut every = RowProgress::default();
            let given = &Value::Undefined;
            flow_result(self.take(stages, environment, outer, given, &mut every, emit))?;
        }
        self.stages.finish(stages, environment, outer, emit)
    }

    /// Runs the query as an input of another one. If that one has enough rows, the stop is passed on; `rows` alone
    /// would swallow it.
    pub(super) fn pass_rows(&self, scope: &EvaluationScope<'_>, emit: &mut RowSink<'_>) -> Flow {
        let mut has_enough = false;
        self.rows(scope, &mut |row| {
            let flow = emit(row);
            has_enough |= flow == Err(StopReason::Enough);
            flow
        })?;
        if has_enough { Err(StopReason::Enough) } else { Ok(()) }
    }

    /// Pushes the rows of one item, or of one row of the feeding query, through the stages.
    fn take(
        &self,
        state: &mut StagesState,
        environment: &EvaluationEnvironment<'_>,
        outer: &[Value],
        given: &Value,
        progress: &mut RowProgress,
        emit: &mut RowSink<'_>,
    ) -> Flow {
        let known = progress.rows;
        let mut row = 0;
        let mut slots = Vec::with_capacity(outer.len() + self.sources.len());
        slots.extend_from_slice(outer);
        unnest(environment, &self.sources, given, &mut slots, &mut |slots| {
            row += 1;
            if row <= known {
                if row == known {
                    // The expressions of these rows have iterated elements, too, and are not evaluated again.
                    environment.budget.work.reset_tuples(progress.tuples);
                }
                return Ok(());
            }
            self.stages.take(state, environment, slots, emit)?;
            // Counted only now: the stages change nothing before they have evaluated the whole row, so that an
            // interrupted row can be taken again.
            progress.rows = row;
            progress.tuples = environment.budget.work.tuples();
            Ok(())
        })
    }
}

impl Subquery for Pipeline {
    fn rows(
        &self,
        scope: &EvaluationScope<'_>,
        take: &mut RowSink<'_>,
    ) -> Result<(), EvaluationError> {
        let mut state = self.start();
        let flow = self.finish(&mut state, scope.environment, scope.slots, take);
        // Released whatever happened: the row of the query around goes on with the same memory.
        state.stages.release(&scope.environment.budget.memory);
        flow_result(flow)
    }
}
