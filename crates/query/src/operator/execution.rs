//! A query with everything it needs to run.
//!
//! Owns the prepared query, its state, the context and the memory; turns stored items into values. The two public
//! ways to run a query differ only in what they do with the rows.

use model::Json;

use super::pipeline::{Pipeline, PipelineState};
use super::prefilter::Prefilter;
use super::required_properties::RequiredProperties;
use super::stage::PartialGroup;
use crate::bind::BoundQuery;
use crate::evaluate::{
    EvaluationContext, EvaluationEnvironment, EvaluationError, MemoryBudget, Preparation, RowSink,
    flow_result,
};
use crate::function::PatternCache;

/// A running query.
#[derive(Debug)]
pub(super) struct Execution {
    query: Pipeline,
    needed: RequiredProperties,
    prefilter: Option<Prefilter>,
    state: PipelineState,
    context: EvaluationContext,
    patterns: PatternCache,
    memory: MemoryBudget,
}

impl Execution {
    pub(super) fn new(query: &BoundQuery, context: EvaluationContext) -> Self {
        let needed = RequiredProperties::for_query(query);
        let preparation = Preparation::new(&context.vector_embeddings, Pipeline::subquery);
        let prefilter = Prefilter::for_query(query, &needed, &preparation);
        let query = Pipeline::prepare(query, &preparation);
        let state = query.start();
        let memory = MemoryBudget::new(context.held_bytes_max);
        Self { query, needed, prefilter, state, context, patterns: PatternCache::new(), memory }
    }

    /// Whether rows come out as items go in.
    pub(super) fn is_streaming(&self) -> bool {
        self.query.is_streaming()
    }

    /// Whether the rows of an item do not depend on the items before it.
    pub(super) fn is_stateless(&self) -> bool {
        self.query.is_stateless()
    }

    /// Whether no further item can change the answer.
    pub(super) fn is_complete(&self) -> bool {
        !self.query.reads_container() || self.query.is_complete(&self.state)
    }

    /// How many bytes of rows are held.
    pub(super) fn held_bytes(&self) -> usize {
        self.memory.held()
    }

    /// How many array elements were iterated so far, alone or as parts of joined rows.
    pub(super) fn tuples(&self) -> u64 {
        self.memory.tuples()
    }

    /// Takes an item and gives the rows that are ready.
    pub(super) fn push(
        &mut self,
        item: &Json,
        emit: &mut RowSink<'_>,
    ) -> Result<(), EvaluationError> {
        if self.is_complete() {
            return Ok(());
        }
        let Self { query, needed, state, context, patterns, memory, .. } = self;
        let environment = EvaluationEnvironment { context, patterns, memory, now: (context.now)() };
        flow_result(query.push(state, &environment, &needed.extract_from_json(item), emit))
    }

    /// Takes the text of an item and gives the rows that are ready.
    pub(super) fn push_text(
        &mut self,
        text: &[u8],
        emit: &mut RowSink<'_>,
    ) -> Result<(), EvaluationError> {
        if self.is_complete() {
            return Ok(());
        }
        let Self { query, needed, prefilter, state, context, patterns, memory } = self;
        let environment = EvaluationEnvironment { context, patterns, memory, now: (context.now)() };
        if let Some(prefilter) = prefilter {
            let tuples = environment.memory.tuples();
            if !prefilter.passes(text, &environment)? {
                return Ok(());
            }
            // The filter is asked again of an item that passes.
            environment.memory.forget_tuples_after(tuples);
        }
        flow_result(query.push(state, &environment, &needed.extract_from_text(text)?, emit))
    }

    /// Gives the rows that were held back.
    pub(super) fn finish(mut self, emit: &mut RowSink<'_>) -> Result<(), EvaluationError> {
        let Self { query, state, context, patterns, memory, .. } = &mut self;
        let environment = EvaluationEnvironment { context, patterns, memory, now: (context.now)() };
        flow_result(query.finish(state, &environment, &[], emit))
    }

    /// Takes a group reached elsewhere.
    pub(super) fn merge(&mut self, group: PartialGroup) -> Result<(), EvaluationError> {
        self.query.merge(&mut self.state, group, &self.memory)
    }

    /// The groups so far, in place of rows, if they can be merged with others.
    pub(super) fn partial_groups(self) -> Option<Vec<PartialGroup>> {
        self.query.partial_groups(self.state)
    }
}
