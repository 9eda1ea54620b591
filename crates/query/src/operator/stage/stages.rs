//! What happens to a row of slots.
//!
//! Owns the order of the steps after the inputs: filter, groups, projection, order, DISTINCT, window. Each step owns
//! what it does.

use super::distinct::DistinctStage;
use super::filter::FilterStage;
use super::group::{GroupStage, GroupTable, PartialGroup};
use super::order::{RowBuffer, SortStage};
use super::project::ProjectStage;
use super::window::{WindowProgress, WindowStage};
use crate::bind::BoundQuery;
use crate::evaluate::{
    EvaluationEnvironment, EvaluationError, EvaluationScope, Flow, MemoryBudget, Preparation,
    RowSink,
};
use crate::function::AggregateState;
use crate::value::Value;

/// The steps of a query.
#[derive(Debug)]
pub(in crate::operator) struct Stages {
    filter: FilterStage,
    group: Option<GroupStage>,
    project: ProjectStage,
    order: Option<SortStage>,
    is_distinct: bool,
    window: WindowStage,
    /// How many slots the inputs of the query fill.
    inputs: usize,
}

/// How far the steps are.
#[derive(Debug)]
pub(in crate::operator) struct StagesState {
    groups: GroupTable,
    held: RowBuffer,
    distinct: DistinctStage,
    window: WindowProgress,
}

impl Stages {
    /// Prepares the steps of a query whose slots are known.
    pub(in crate::operator) fn prepare(query: &BoundQuery, preparation: &Preparation<'_>) -> Self {
        Self {
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
            held: RowBuffer::default(),
            distinct: DistinctStage::default(),
            window: WindowProgress::default(),
        }
    }

    /// Whether rows are passed on as they come.
    pub(in crate::operator) fn is_streaming(&self) -> bool {
        self.group.is_none() && self.order.is_none()
    }

    /// Whether what becomes of a row does not depend on the rows before it.
    pub(in crate::operator) fn is_stateless(&self) -> bool {
        self.is_streaming() && !self.is_distinct && self.window.is_open()
    }

    /// Whether no further row can be wanted.
    pub(in crate::operator) fn is_complete(&self, state: &StagesState) -> bool {
        self.window.is_full(state.window)
    }

    /// Takes a row of slots.
    pub(in crate::operator) fn take(
        &self,
        state: &mut StagesState,
        environment: &EvaluationEnvironment<'_>,
        slots: &[Value],
        emit: &mut RowSink<'_>,
    ) -> Flow {
        let scope = EvaluationScope::row(environment, slots);
        if !self.filter.keeps(&scope)? {
            return Ok(());
        }
        match &self.group {
            Some(group) => Ok(group.add(&mut state.groups, &scope)?),
            None => self.output(state, &scope, emit),
        }
    }

    /// Takes a group reached elsewhere; ignored by a query without groups.
    pub(in crate::operator) fn merge(
        &self,
        state: &mut StagesState,
        group: PartialGroup,
        memory: &MemoryBudget,
    ) -> Result<(), EvaluationError> {
        match &self.group {
            Some(grouping) => grouping.merge(&mut state.groups, group, memory),
            None => Ok(()),
        }
    }

    /// The groups so far, in place of rows; none for a query without groups.
    pub(in crate::operator) fn partial_groups(
        &self,
        state: StagesState,
    ) -> Option<Vec<PartialGroup>> {
        self.group.is_some().then(|| state.groups.into_groups())
    }

    /// Gives the rows that were held back. `outer` are the slots of the queries around.
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
        let held = std::mem::take(&mut state.held);
        environment.memory.release(held.bytes());
        for row in order.sorted(held).into_iter().filter(Value::is_defined) {
            self.pass(state, row, environment.memory, emit)?;
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
        let table = std::mem::take(&mut state.groups);
        environment.memory.release(table.bytes());
        // A group shows none of its inputs, yet subqueries of its output count their slots after them.
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
            self.output(state, &scope, emit)?;
        }
        Ok(())
    }

    /// Makes the output of a row or group, and holds it when it must wait for its place.
    fn output(
        &self,
        state: &mut StagesState,
        scope: &EvaluationScope<'_>,
        emit: &mut RowSink<'_>,
    ) -> Flow {
        let row = self.project.row(scope)?;
        if !row.is_defined() && !self.order.as_ref().is_some_and(SortStage::needs_all_rows) {
            return Ok(());
        }
        match &self.order {
            Some(order) => {
                // Equal rows are dropped after ordering, so no row can be let go before.
                let needed = if self.is_distinct { None } else { self.window.reach() };
                Ok(order.hold(&mut state.held, row, scope, needed)?)
            }
            None => self.pass(state, row, scope.environment.memory, emit),
        }
    }

    /// Passes an output row in its final order through DISTINCT and the window.
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
    /// Lets everything go.
    pub(in crate::operator) fn release(self, memory: &MemoryBudget) {
        memory.release(self.groups.bytes());
        memory.release(self.held.bytes());
        self.distinct.release(memory);
    }
}
