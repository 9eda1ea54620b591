//! Running a query.
//!
//! Owns the prepared query, its state, the context and the budget; converts stored items to values. Rows are collected
//! until `finish`, or passed on as soon as they are known, if the query neither groups nor orders.

use model::Json;

use super::pipeline::{Pipeline, PipelineState, RowProgress};
use super::prefilter::Prefilter;
use super::required_properties::RequiredProperties;
use crate::bind::BoundQuery;
use crate::budget::{BudgetError, EvaluationBudget, Interruption, byte_units, value_bytes};
use crate::evaluate::{
    EvaluationContext, EvaluationEnvironment, EvaluationError, Preparation, RowSink, StopReason,
    flow_result,
};
use crate::function::PatternCache;
use crate::value::Value;

/// Runs a query: push all items, then finish to get the rows. A query made by [`QueryExecutor::streaming`] can also
/// pass the rows of an item on when the item is pushed.
///
/// ```
/// use model::Json;
/// use planisphere_query::function::UtcDateTime;
/// use planisphere_query::{BuiltInFunctions, EvaluationContext, QueryExecutor, Parameters, bind, parse, row_text};
///
/// let tree = parse("SELECT c.city, COUNT(1) AS n FROM c GROUP BY c.city").unwrap();
/// let bound = bind(&tree, &Parameters::new(), &BuiltInFunctions).unwrap();
/// let context = EvaluationContext::starting_at(UtcDateTime::from_milliseconds(0).unwrap());
/// let mut executor = QueryExecutor::new(&bound, context);
/// for item in [r#"{"city": "Oslo"}"#, r#"{"city": "Bern"}"#, r#"{"city": "Oslo"}"#] {
///     executor.push(&Json::parse(item.as_bytes()).unwrap()).unwrap();
/// }
/// let rows = executor.finish().unwrap();
/// assert_eq!(row_text(&rows[0]).unwrap(), r#"{"city":"Oslo","n":2}"#);
/// assert_eq!(row_text(&rows[1]).unwrap(), r#"{"city":"Bern","n":1}"#);
/// ```
#[derive(Debug)]
pub struct QueryExecutor {
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
    /// The rows that were collected so far.
    rows: Vec<Value>,
    /// Whether user-defined functions are called: they may take long, so that nothing is evaluated in slices.
    calls_user_functions: bool,
}

impl QueryExecutor {
    /// Prepares a query.
    #[must_use]
    pub fn new(query: &BoundQuery, context: EvaluationContext) -> Self {
        let needed = RequiredProperties::for_query(query);
        let preparation = Preparation::new(&context.vector_embeddings, Pipeline::subquery);
        // Before the query is prepared: both borrow the same preparation, and the prefilter compares itself with
        // `needed`.
        let prefilter = Prefilter::for_query(query, &needed, &preparation);
        let calls_user_functions = !query.user_functions.is_empty();
        let query = Pipeline::prepare(query, &preparation);
        let state = query.start();
        let budget = EvaluationBudget::new(context.held_bytes_max, &context.governor);
        let (patterns, resumed) = (PatternCache::new(), RowProgress::default());
        let rows = Vec::new();
        Self {
            query,
            needed,
            prefilter,
            state,
            context,
            patterns,
            budget,
            resumed,
            rows,
            calls_user_functions,
        }
    }

    /// Prepares a query whose rows are known as soon as their item is pushed; `None` if it groups or orders. Nothing
    /// but the rows that DISTINCT has seen is kept.
    #[must_use]
    pub fn streaming(query: &BoundQuery, context: EvaluationContext) -> Option<Self> {
        let executor = Self::new(query, context);
        executor.query.is_streaming().then_some(executor)
    }

    /// Adds an item.
    ///
    /// # Errors
    /// If an expression fails, or more rows must be kept than the context allows. The executor must not be used
    /// afterwards.
    pub fn push(&mut self, item: &Json) -> Result<(), EvaluationError> {
        self.collecting(|executor, emit| executor.push_item(item, emit))
    }

    /// Adds a stored item from its JSON text. Only the properties that the query reads are parsed, and of an item that
    /// the filter rejects, only those of the filter.
    ///
    /// # Errors
    /// If the parsed part of the text is not JSON, otherwise as for [`QueryExecutor::push`].
    pub fn push_text(&mut self, item: &[u8]) -> Result<(), EvaluationError> {
        self.collecting(|executor, emit| executor.push_item_text(item, emit))
    }

    /// Pushes an item and passes the rows that are known to `takes_more` one by one, until that returns false. So a
    /// product of arrays is never materialized.
    ///
    /// # Errors
    /// As for [`QueryExecutor::push`].
    pub fn push_while(
        &mut self,
        item: &Json,
        mut takes_more: impl FnMut(Value) -> bool,
    ) -> Result<(), EvaluationError> {
        let take = &mut |row| if takes_more(row) { Ok(()) } else { Err(StopReason::Enough) };
        self.push_item(item, take)
    }

    /// Like [`QueryExecutor::push_while`], from the JSON text of a stored item.
    ///
    /// # Errors
    /// As for [`QueryExecutor::push_text`].
    pub fn push_text_while(
        &mut self,
        item: &[u8],
        mut takes_more: impl FnMut(Value) -> bool,
    ) -> Result<(), EvaluationError> {
        let take = &mut |row| if takes_more(row) { Ok(()) } else { Err(StopReason::Enough) };
        self.push_item_text(item, take)
    }

    /// The rows that were collected since the last call.
    pub fn take_rows(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.rows)
    }

    /// Whether the rows of an item do not depend on earlier items.
    #[must_use]
    pub fn is_stateless(&self) -> bool {
        self.query.is_stateless()
    }

    /// Whether no further item can change the result: TOP or LIMIT is reached, or the query reads no items.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.query.reads_container() || self.query.is_complete(&self.state)
    }

    /// The number of bytes of rows kept for ordering, grouping and DISTINCT.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.budget.memory.reserved_bytes()
    }

    /// The number of array elements iterated so far, alone or as parts of joined rows.
    #[must_use]
    pub fn tuples(&self) -> u64 {
        self.budget.work.tuples()
    }

    /// Whether an item that was interrupted at the end of a slice can be pushed again: only the rows that are missing
    /// are then evaluated. Otherwise the query must run where slices never end.
    #[must_use]
    pub fn is_resumable(&self) -> bool {
        !self.calls_user_functions && self.query.is_resumable()
    }

    /// Whether little of the slice of work is left, so that the next item might not fit.
    #[must_use]
    pub fn is_slice_low(&self) -> bool {
        self.budget.work.is_low()
    }

    /// Gives up the rest of the slice: the next item asks the governor for a new one.
    pub fn end_slice(&self) {
        self.budget.work.end_slice();
    }

    /// The units of work that `finish` will spend; `None` if they have no bound.
    #[must_use]
    pub fn finish_units(&self) -> Option<u64> {
        if self.calls_user_functions { None } else { self.query.finish_units(&self.state) }
    }

    /// Returns the rows, after all items were pushed.
    ///
    /// # Errors
    /// If an expression fails, or more rows must be kept than the context allows.
    pub fn finish(self) -> Result<Vec<Value>, EvaluationError> {
        let mut rows = Vec::new();
        self.finish_while(|row| {
            rows.push(row);
            true
        })?;
        Ok(rows)
    }

    /// Passes the rows to `takes_more` one by one, after all items were pushed, until that returns false. Work is asked
    /// for before each row, so that whoever prints them can be interrupted.
    ///
    /// # Errors
    /// As for [`QueryExecutor::finish`].
    pub fn finish_while(
        mut self,
        mut takes_more: impl FnMut(Value) -> bool,
    ) -> Result<(), EvaluationError> {
        for row in self.take_rows() {
            if !takes_more(row) {
                return Ok(());
            }
        }
        let Self { query, state, context, patterns, budget, .. } = &mut self;
        let environment = EvaluationEnvironment { context, patterns, budget, now: (context.now)() };
        let mut take = |row: Value| {
            // The caller keeps these rows, and the output of a group may be larger than the group was. A row that was
            // emitted by `push` was either passed on, or counted by DISTINCT.
            environment.budget.memory.reserve(value_bytes(&row) - size_of::<Value>())?;
            if takes_more(row) { Ok(()) } else { Err(StopReason::Enough) }
        };
        flow_result(query.finish(state, &environment, &[], &mut take))
    }

    /// Runs `push` with a sink that collects the rows.
    fn collecting(
        &mut self,
        push: impl FnOnce(&mut Self, &mut RowSink<'_>) -> Result<(), EvaluationError>,
    ) -> Result<(), EvaluationError> {
        // Moved out, because `push` borrows everything else.
        let mut rows = self.take_rows();
        let pushed = push(self, &mut |row| {
            rows.push(row);
            Ok(())
        });
        self.rows = rows;
        pushed
    }

    fn push_item(&mut self, item: &Json, emit: &mut RowSink<'_>) -> Result<(), EvaluationError> {
        if self.is_complete() {
            return Ok(());
        }
        self.push_value(None, |needed| Ok(needed.extract_from_json(item)), emit)
    }

    fn push_item_text(
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
}
