//! A running query.
//!
//! Owns the prepared query, its state, the context and the budget; converts stored items to values. The two public ways
//! to run a query differ only in what they do with the rows.

use model::Json;

use super::pipeline::{Pipeline, PipelineState, RowProgress};
use super::prefilter::Prefilter;
use super::required_properties::RequiredProperties;
use crate::bind::BoundQuery;
use crate::budget::{BudgetError, EvaluationBudget, Interruption, byte_units, value_bytes};
use crate::evaluate::{
    EvaluationContext, EvaluationEnvironment, EvaluationError, Preparation, RowSink, flow_result,
};
use crate::function::PatternCache;
use crate::value::Value;

/// A running query.
#[derive(Debug)]
pub(super) struct Execution {
    query: Pipeline,
    needed: RequiredProperties,
    prefilter: Option<Prefilter>,
    state: PipelineState,
    context: EvaluationContext,
    patterns: PatternCache,
    budget: EvaluationBudget,
    /// The rows of the last item that went through, if that item was interrupted at the end of a slice: it will be
    /// pushed again.
    resumed: RowProgress,
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
        let budget = EvaluationBudget::new(context.held_bytes_max, &context.governor);
        let (patterns, resumed) = (PatternCache::new(), RowProgress::default());
        Self { query, needed, prefilter, state, context, patterns, budget, resumed }
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
        self.budget.memory.reserved_bytes()
    }

    /// The number of array elements iterated so far, alone or as parts of joined rows.
    pub(super) fn tuples(&self) -> u64 {
        self.budget.work.tuples()
    }

    /// Whether an item that was interrupted at the end of a slice can be pushed again.
    pub(super) fn is_resumable(&self) -> bool {
        self.query.is_resumable()
    }

    /// Whether little of the slice is left.
    pub(super) fn is_slice_low(&self) -> bool {
        self.budget.work.is_low()
    }

    /// Gives up the rest of the slice.
    pub(super) fn end_slice(&self) {
        self.budget.work.end_slice();
    }

    /// The units that `finish` will spend; `None` if they have no bound.
    pub(super) fn finish_units(&self) -> Option<u64> {
        self.query.finish_units(&self.state)
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
        self.push_value(None, |needed| Ok(needed.extract_from_json(item)), emit)
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
        self.push_value(Some(text), |needed| Ok(needed.extract_from_text(text)?), emit)
    }

    fn push_value(
        &mut self,
        text: Option<&[u8]>,
        extract: impl FnOnce(&RequiredProperties) -> Result<Value, EvaluationError>,
        emit: &mut RowSink<'_>,
    ) -> Result<(), EvaluationError> {
        let mut progress = std::mem::take(&mut self.resumed);
        let tuples = self.budget.work.tuples();
        // An interrupted item leaves what it had built.
        self.budget.memory.reset_built(0);
        let pushed = self.push_rows(text, extract, &mut progress, emit);
        if let Err(EvaluationError::Budget(BudgetError::Interrupted(Interruption::SliceEnded))) =
            &pushed
        {
            self.resumed = progress;
            // The elements are iterated again, also those of the rows that are left out.
            self.budget.work.reset_tuples(tuples);
        }
        pushed
    }

    fn push_rows(
        &mut self,
        text: Option<&[u8]>,
        extract: impl FnOnce(&RequiredProperties) -> Result<Value, EvaluationError>,
        progress: &mut RowProgress,
        emit: &mut RowSink<'_>,
    ) -> Result<(), EvaluationError> {
        let Self { query, needed, prefilter, state, context, patterns, budget, .. } = self;
        let environment = EvaluationEnvironment { context, patterns, budget, now: (context.now)() };
        if let Some(text) = text {
            budget.work.spend(byte_units(text.len()))?;
            // An item that the filter rejects need not be parsed completely.
            if let Some(prefilter) = prefilter {
                let tuples = budget.work.tuples();
                if !prefilter.passes(text, &environment)? {
                    return Ok(());
                }
                // The filter runs again over the whole row and would count the elements it iterates twice.
                budget.work.reset_tuples(tuples);
            }
        }
        let item = extract(needed)?;
        flow_result(query.push(state, &environment, &item, progress, emit))
    }

    /// Emits the rows that had to wait for the last item.
    pub(super) fn finish(mut self, emit: &mut RowSink<'_>) -> Result<(), EvaluationError> {
        let Self { query, state, context, patterns, budget, .. } = &mut self;
        let environment = EvaluationEnvironment { context, patterns, budget, now: (context.now)() };
        let mut take = |row: Value| {
            // The caller keeps these rows, and the output of a group may be larger than the group was. A row that was
            // emitted by `push` was either passed on, or counted by DISTINCT.
            environment.budget.memory.reserve(value_bytes(&row) - size_of::<Value>())?;
            emit(row)
        };
        flow_result(query.finish(state, &environment, &[], &mut take))
    }
}
