//! A running query.
//!
//! Owns the prepared query, its state, the context and the memory limit; converts stored items to values. The two
//! public ways to run a query differ only in what they do with the rows.

use model::Json;

use super::pipeline::{Pipeline, PipelineState};
use super::prefilter::Prefilter;
use super::required_properties::RequiredProperties;
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
        // Before the query is prepared: both borrow the same preparation, and the prefilter compares itself with
        // `needed`.
        let prefilter = Prefilter::for_query(query, &needed, &preparation);
        let query = Pipeline::prepare(query, &preparation);
        let state = query.start();
        let memory = MemoryBudget::new(context.held_bytes_max);
        Self { query, needed, prefilter, state, context, patterns: PatternCache::new(), memory }
    }

    /// Whether the rows of an item are known as soon as the item is pushed.
    pub(super) fn is_streaming(&self) -> bool {
        self.query.is_streaming()
    }

    /// Whether the rows of an item do not depend on earlier items.
    pub(super) fn is_stateless(&self) -> bool {
        self.query.is_stateless()
    }

    /// Whether no further item can change the result.
    pub(super) fn is_complete(&self) -> bool {
        !self.query.reads_container() || self.query.is_complete(&self.state)
    }

    /// The number of bytes of rows kept.
    pub(super) fn held_bytes(&self) -> usize {
        self.memory.reserved_bytes()
    }

    /// The number of array elements iterated so far, alone or as parts of joined rows.
    pub(super) fn tuples(&self) -> u64 {
        self.memory.tuples()
    }

    /// Pushes an item and emits the rows that are ready.
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

    /// Pushes the text of an item and emits the rows that are ready.
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
        // An item that the filter rejects need not be parsed completely.
        if let Some(prefilter) = prefilter {
            let tuples = environment.memory.tuples();
            if !prefilter.passes(text, &environment)? {
                return Ok(());
            }
            // The filter runs again over the whole row and would count the elements it iterates twice.
            environment.memory.reset_tuples(tuples);
        }
        flow_result(query.push(state, &environment, &needed.extract_from_text(text)?, emit))
    }

    /// Emits the rows that had to wait for the last item.
    pub(super) fn finish(mut self, emit: &mut RowSink<'_>) -> Result<(), EvaluationError> {
        let Self { query, state, context, patterns, memory, .. } = &mut self;
        let environment = EvaluationEnvironment { context, patterns, memory, now: (context.now)() };
        flow_result(query.finish(state, &environment, &[], emit))
    }
}
