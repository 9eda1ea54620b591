//! A query ready to run.
//!
//! Owns how inputs and steps are joined: items are pushed through the inputs into the steps, and when all were pushed
//! the rest comes out. A query inside a query is the same thing, run from start to end for one row of the query around
//! it. Does not own inputs nor steps.

use super::source::{PreparedRoot, PreparedSource};
use super::stage::{PartialGroup, Stages, StagesState};
use super::unnest::unnest;
use crate::bind::BoundQuery;
use crate::evaluate::{
    EvaluationEnvironment, EvaluationError, EvaluationScope, Flow, MemoryBudget, Preparation,
    RowSink, StopReason, Subquery, flow_result,
};
use crate::value::Value;

/// A prepared query.
#[derive(Debug)]
pub(super) struct Pipeline {
    /// The query in the place of the first input, when it is the one that reads the items.
    feed: Option<Box<Pipeline>>,
    sources: Vec<PreparedSource>,
    stages: Stages,
}

/// How far a query is.
#[derive(Debug)]
pub(super) struct PipelineState {
    feed: Option<Box<PipelineState>>,
    stages: StagesState,
}

impl Pipeline {
    pub(super) fn prepare(query: &BoundQuery, around: &Preparation<'_>) -> Self {
        let mut preparation = around.clone();
        let mut sources = Vec::with_capacity(query.sources.len());
        let mut feed = None;
        for bound in &query.sources {
            let (source, inner) = PreparedSource::prepare(bound, &preparation);
            preparation.slot_paths.push(bound);
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

    /// Whether items must be pushed; else the query makes its rows from what is around it.
    pub(super) fn reads_container(&self) -> bool {
        self.sources.iter().any(|source| matches!(source.root, PreparedRoot::Item))
    }

    /// Whether rows come out as items go in.
    pub(super) fn is_streaming(&self) -> bool {
        self.stages.is_streaming() && self.feed.as_ref().is_none_or(|feed| feed.is_streaming())
    }

    pub(super) fn start(&self) -> PipelineState {
        let feed = self.feed.as_ref().map(|feed| Box::new(feed.start()));
        PipelineState { feed, stages: self.stages.start() }
    }

    /// Whether no further item can change the answer.
    pub(super) fn is_complete(&self, state: &PipelineState) -> bool {
        self.stages.is_complete(&state.stages)
    }

    /// Takes an item.
    pub(super) fn push(
        &self,
        state: &mut PipelineState,
        environment: &EvaluationEnvironment<'_>,
        item: &Value,
        emit: &mut RowSink<'_>,
    ) -> Flow {
        let PipelineState { feed, stages } = state;
        match (&self.feed, feed) {
            (Some(query), Some(feed)) => query.push(feed, environment, item, &mut |row| {
                self.take(stages, environment, &[], &row, emit)
            }),
            _ if self.reads_container() => self.take(stages, environment, &[], item, emit),
            _ => Ok(()),
        }
    }

    /// Takes a group reached elsewhere.
    pub(super) fn merge(
        &self,
        state: &mut PipelineState,
        group: PartialGroup,
        memory: &MemoryBudget,
    ) -> Result<(), EvaluationError> {
        self.stages.merge(&mut state.stages, group, memory)
    }

    /// The groups so far, in place of rows; none when they cannot be merged with those of other items: the query has no
    /// groups, or the query that feeds it must see all items.
    pub(super) fn partial_groups(&self, state: PipelineState) -> Option<Vec<PartialGroup>> {
        let is_whole = self.feed.as_ref().is_none_or(|feed| feed.is_stateless());
        if is_whole { self.stages.partial_groups(state.stages) } else { None }
    }

    /// Whether the rows of an item do not depend on the items before it.
    pub(super) fn is_stateless(&self) -> bool {
        self.stages.is_stateless() && self.feed.as_ref().is_none_or(|feed| feed.is_stateless())
    }

    /// Gives what was held back, now that all items were pushed. `outer` are the slots of the queries around.
    pub(super) fn finish(
        &self,
        state: &mut PipelineState,
        environment: &EvaluationEnvironment<'_>,
        outer: &[Value],
        emit: &mut RowSink<'_>,
    ) -> Flow {
        let PipelineState { feed, stages } = state;
        if let (Some(query), Some(feed)) = (&self.feed, feed) {
            // Whoever has enough here is a step that passes rows on as they come, so nothing is held back after it.
            flow_result(query.finish(feed, environment, outer, &mut |row| {
                self.take(stages, environment, outer, &row, emit)
            }))?;
        } else if !self.reads_container() {
            flow_result(self.take(stages, environment, outer, &Value::Undefined, emit))?;
        }
        self.stages.finish(stages, environment, outer, emit)
    }

    /// Runs a query in the place of an input: when the query around has enough, that is passed on.
    pub(super) fn pass_rows(&self, scope: &EvaluationScope<'_>, emit: &mut RowSink<'_>) -> Flow {
        let mut has_enough = false;
        self.rows(scope, &mut |row| {
            let flow = emit(row);
            has_enough |= flow == Err(StopReason::Enough);
            flow
        })?;
        if has_enough { Err(StopReason::Enough) } else { Ok(()) }
    }

    /// Makes the rows of one item, or of one row of the feed.
    fn take(
        &self,
        state: &mut StagesState,
        environment: &EvaluationEnvironment<'_>,
        outer: &[Value],
        given: &Value,
        emit: &mut RowSink<'_>,
    ) -> Flow {
        let mut slots = Vec::with_capacity(outer.len() + self.sources.len());
        slots.extend_from_slice(outer);
        unnest(environment, &self.sources, given, &mut slots, &mut |slots| {
            self.stages.take(state, environment, slots, emit)
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
        state.stages.release(scope.environment.memory);
        flow_result(flow)
    }
}
