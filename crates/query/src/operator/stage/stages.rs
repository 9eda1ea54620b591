//! The sequence of stages.
//!
//! Owns the sequence after the inputs: filter, groups, projection, order, DISTINCT, window. Each stage owns what it
//! does.

use super::cost::QueryCosts;
use super::distinct::DistinctStage;
use super::filter::FilterStage;
use super::group::{GroupStage, GroupTable};
use super::order::{RowBuffer, SortStage};
use super::project::ProjectStage;
use super::window::{WindowProgress, WindowStage};
use crate::bind::BoundQuery;
use crate::budget::{MemoryBudget, byte_units, value_units};
use crate::evaluate::{EvaluationEnvironment, EvaluationScope, Flow, Preparation, RowSink};
use crate::function::AggregateState;
use crate::value::Value;

/// The stages of a query.
#[derive(Debug)]
pub(in crate::operator) struct Stages {
    filter: FilterStage,
    group: Option<GroupStage>,
    project: ProjectStage,
    order: Option<SortStage>,
    is_distinct: bool,
    window: WindowStage,
    /// The number of slots that the inputs of the query fill.
    inputs: usize,
    /// The units of the filter for one row.
    filter_units: u64,
    /// The units of grouping or output for one row.
    output_units: u64,
    /// Whether the output is made of nothing but slots, groups and constants, so that its units bound its work.
    has_plain_output: bool,
    /// The same for the filter.
    has_plain_filter: bool,
}

/// The state of the stages of a running query.
#[derive(Debug)]
pub(in crate::operator) struct StagesState {
    groups: GroupTable,
    buffer: RowBuffer,
    distinct: DistinctStage,
    window: WindowProgress,
}

impl Stages {
    /// Prepares the stages of a query whose slots are known.
    pub(in crate::operator) fn prepare(query: &BoundQuery, preparation: &Preparation<'_>) -> Self {
        let costs = QueryCosts::of(query);
        Self {
            filter_units: costs.filter_units,
            output_units: costs.output_units,
            has_plain_output: costs.has_plain_output,
            has_plain_filter: costs.has_plain_filter,
            filter: FilterStage {
                condition: query.filter.as_ref().map(|filter| preparation.formula(filter)),
            },
            group: GroupStage::prepare(query, preparation),
            project: ProjectStage::prepare(&query.output.projection, preparation),
            order: SortStage::prepare(query, preparation),
            is_distinct: query.output.distinct,
            window: WindowStage::new(query),
            inputs: query.sources.len(),
        }
    }

    pub(in crate::operator) fn start(&self) -> StagesState {
        StagesState {
            groups: self.group.as_ref().map(GroupStage::start).unwrap_or_default(),
            buffer: RowBuffer::default(),
            distinct: DistinctStage::default(),
            window: WindowProgress::default(),
        }
    }

    /// Whether rows are passed on immediately.
    pub(in crate::operator) fn is_streaming(&self) -> bool {
        self.group.is_none() && self.order.is_none()
    }

    /// Whether the output of a row does not depend on earlier rows.
    pub(in crate::operator) fn is_stateless(&self) -> bool {
        self.is_streaming() && !self.is_distinct && self.window.is_open()
    }

    /// Whether no further row is needed.
    pub(in crate::operator) fn is_complete(&self, state: &StagesState) -> bool {
        self.window.is_full(state.window)
    }

    /// Pushes a row of slots.
    pub(in crate::operator) fn take(
        &self,
        state: &mut StagesState,
        environment: &EvaluationEnvironment<'_>,
        slots: &[Value],
        emit: &mut RowSink<'_>,
    ) -> Flow {
        let budget = environment.budget;
        budget.work.spend(self.filter_units)?;
        let built = budget.memory.built_bytes();
        let scope = EvaluationScope::row(environment, slots);
        let flow = self.take_row(state, &scope, emit);
        // Whatever of the row is kept was reserved; the rest is gone.
        budget.memory.reset_built(built);
        flow
    }

    fn take_row(
        &self,
        state: &mut StagesState,
        scope: &EvaluationScope<'_>,
        emit: &mut RowSink<'_>,
    ) -> Flow {
        if !self.filter.keeps(scope)? {
            return Ok(());
        }
        scope.environment.budget.work.spend(self.output_units)?;
        match &self.group {
            Some(group) => Ok(group.add(&mut state.groups, scope)?),
            None => self.output(state, scope, emit),
        }
    }

    /// The units of the only row of a query without inputs; `None` if its expressions have no bound.
    pub(in crate::operator) fn row_units(&self) -> Option<u64> {
        let is_plain = self.has_plain_filter && self.has_plain_output;
        is_plain.then_some(self.filter_units + self.output_units)
    }

    /// The units that `finish` will spend; `None` if the expressions of the output have no bound.
    pub(in crate::operator) fn finish_units(&self, state: &StagesState) -> Option<u64> {
        let rows = (state.groups.len() + state.buffer.len()) as u64;
        let kept = byte_units(state.groups.bytes() + state.buffer.bytes());
        let is_plain = self.has_plain_output || rows == 0;
        let sorted = state.buffer.sort_units();
        is_plain.then(|| {
            rows.saturating_mul(self.output_units + 1).saturating_add(kept).saturating_add(sorted)
        })
    }

    /// Emits the rows that had to wait for the last item. `outer` are the slots of the queries around.
    pub(in crate::operator) fn finish(
        &self,
        state: &mut StagesState,
        environment: &EvaluationEnvironment<'_>,
        outer: &[Value],
        emit: &mut RowSink<'_>,
    ) -> Flow {
        if self.group.is_some() {
            self.finish_groups(state, environment, outer, emit)?;
        }
        let Some(order) = &self.order else { return Ok(()) };
        let buffer = std::mem::take(&mut state.buffer);
        environment.budget.memory.release(buffer.bytes());
        let rows = order.sorted(buffer, &environment.budget.work)?;
        for row in rows.into_iter().filter(Value::is_defined) {
            // DISTINCT hashes it, and whoever takes it prints it.
            environment.budget.work.spend(1 + value_units(&row))?;
            self.pass(state, row, &environment.budget.memory, emit)?;
        }
        Ok(())
    }

    fn finish_groups(
        &self,
        state: &mut StagesState,
        environment: &EvaluationEnvironment<'_>,
        outer: &[Value],
        emit: &mut RowSink<'_>,
    ) -> Flow {
        // The table is consumed below: its bytes no longer count.
        let table = std::mem::take(&mut state.groups);
        environment.budget.memory.release(table.bytes());
        // A group has no inputs to show, but subqueries in its output were bound to the slots after them.
        let inputs = std::iter::repeat_n(Value::Undefined, self.inputs);
        let slots: Vec<Value> = outer.iter().cloned().chain(inputs).collect();
        for group in table.into_groups() {
            let results: Vec<Value> =
                group.states.into_iter().map(AggregateState::finish).collect();
            let scope = EvaluationScope {
                environment,
                slots: &slots,
                keys: &group.keys,
                results: &results,
            };
            let built = environment.budget.memory.built_bytes();
            self.output(state, &scope, emit)?;
            environment.budget.memory.reset_built(built);
        }
        Ok(())
    }

    /// Produces the output of a row or group, and keeps it if it must be sorted.
    fn output(
        &self,
        state: &mut StagesState,
        scope: &EvaluationScope<'_>,
        emit: &mut RowSink<'_>,
    ) -> Flow {
        let budget = scope.environment.budget;
        if !scope.results.is_empty() || !scope.keys.is_empty() {
            budget.work.spend(self.output_units)?;
        }
        let row = self.project.row(scope)?;
        // The text of the row is about as large as the row.
        budget.work.spend(value_units(&row))?;
        // An undefined output is not a row. But with a relevance score its text still counts for the scores of the
        // others, so it is kept until the order is known (`finish` drops it then).
        if !row.is_defined() && !self.order.as_ref().is_some_and(SortStage::needs_all_rows) {
            return Ok(());
        }
        match &self.order {
            Some(order) => {
                // DISTINCT drops rows after sorting, so it is unknown how many sorted rows are needed.
                let needed = if self.is_distinct { None } else { self.window.reach() };
                Ok(order.push(&mut state.buffer, row, scope, needed)?)
            }
            None => self.pass(state, row, &scope.environment.budget.memory, emit),
        }
    }

    /// Passes a row, in final order, through DISTINCT and the window.
    fn pass(
        &self,
        state: &mut StagesState,
        row: Value,
        memory: &MemoryBudget,
        emit: &mut RowSink<'_>,
    ) -> Flow {
        if self.is_distinct && !state.distinct.insert(&row, memory)? {
            return Ok(());
        }
        self.window.pass(&mut state.window, || emit(row))
    }
}

impl StagesState {
    /// Gives all memory back.
    pub(in crate::operator) fn release(self, memory: &MemoryBudget) {
        memory.release(self.groups.bytes());
        memory.release(self.buffer.bytes());
        self.distinct.release(memory);
    }
}
