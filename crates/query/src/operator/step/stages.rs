//! What happens to a row of slots.
//!
//! Owns the order of the steps after the inputs: filter, groups, projection, order, DISTINCT, window. Each step owns
//! what it does.

use super::distinct::Distinct;
use super::filter::Filter;
use super::group::{Group, GroupTable, PartialGroup};
use super::order::{HeldRows, Order};
use super::project::Project;
use super::window::{Window, WindowProgress};
use crate::bind::BoundQuery;
use crate::evaluate::{Environment, EvaluationError, Flow, Memory, Preparation, Scope, TakeRow};
use crate::function::AggregateState;
use crate::value::Value;

/// The steps of a query.
#[derive(Debug)]
pub(in crate::operator) struct Stages {
    filter: Filter,
    group: Option<Group>,
    project: Project,
    order: Option<Order>,
    is_distinct: bool,
    window: Window,
    /// How many slots the inputs of the query fill.
    inputs: usize,
}

/// How far the steps are.
#[derive(Debug)]
pub(in crate::operator) struct Progress {
    groups: GroupTable,
    held: HeldRows,
    distinct: Distinct,
    window: WindowProgress,
}

impl Stages {
    /// Prepares the steps of a query whose slots are known.
    pub(in crate::operator) fn prepare(query: &BoundQuery, preparation: &Preparation<'_>) -> Self {
        Self {
            filter: Filter {
                condition: query.filter.as_ref().map(|filter| preparation.formula(filter)),
            },
            group: Group::prepare(query, preparation),
            project: Project::prepare(&query.output.projection, preparation),
            order: Order::prepare(query, preparation),
            is_distinct: query.output.distinct,
            window: Window::new(query),
            inputs: query.sources.len(),
        }
    }

    pub(in crate::operator) fn start(&self) -> Progress {
        Progress {
            groups: self.group.as_ref().map(Group::start).unwrap_or_default(),
            held: HeldRows::default(),
            distinct: Distinct::default(),
            window: WindowProgress::default(),
        }
    }

    /// Whether rows are passed on as they come.
    pub(in crate::operator) fn is_streaming(&self) -> bool {
        self.group.is_none() && self.order.is_none()
    }

    /// Whether what becomes of a row does not depend on the rows before it.
    pub(in crate::operator) fn forgets_rows(&self) -> bool {
        self.is_streaming() && !self.is_distinct && self.window.is_open()
    }

    /// Whether no further row can be wanted.
    pub(in crate::operator) fn is_complete(&self, progress: &Progress) -> bool {
        self.window.is_full(progress.window)
    }

    /// Takes a row of slots.
    pub(in crate::operator) fn take(
        &self,
        progress: &mut Progress,
        environment: &Environment<'_>,
        slots: &[Value],
        give: &mut TakeRow<'_>,
    ) -> Flow {
        let scope = Scope::row(environment, slots);
        if !self.filter.keeps(&scope)? {
            return Ok(());
        }
        match &self.group {
            Some(group) => Ok(group.add(&mut progress.groups, &scope)?),
            None => self.output(progress, &scope, give),
        }
    }

    /// Takes a group reached elsewhere; ignored by a query without groups.
    pub(in crate::operator) fn merge(
        &self,
        progress: &mut Progress,
        group: PartialGroup,
        memory: &Memory,
    ) -> Result<(), EvaluationError> {
        match &self.group {
            Some(grouping) => grouping.merge(&mut progress.groups, group, memory),
            None => Ok(()),
        }
    }

    /// The groups so far, in place of rows; none for a query without groups.
    pub(in crate::operator) fn partial_groups(
        &self,
        progress: Progress,
    ) -> Option<Vec<PartialGroup>> {
        self.group.is_some().then(|| progress.groups.into_groups())
    }

    /// Gives the rows that were held back. `outer` are the slots of the queries around.
    pub(in crate::operator) fn finish(
        &self,
        progress: &mut Progress,
        environment: &Environment<'_>,
        outer: &[Value],
        give: &mut TakeRow<'_>,
    ) -> Flow {
        if self.group.is_some() {
            self.finish_groups(progress, environment, outer, give)?;
        }
        let Some(order) = &self.order else { return Ok(()) };
        let held = std::mem::take(&mut progress.held);
        environment.memory.release(held.bytes());
        for row in order.sorted(held).into_iter().filter(Value::is_defined) {
            self.pass(progress, row, environment.memory, give)?;
        }
        Ok(())
    }

    fn finish_groups(
        &self,
        progress: &mut Progress,
        environment: &Environment<'_>,
        outer: &[Value],
        give: &mut TakeRow<'_>,
    ) -> Flow {
        let table = std::mem::take(&mut progress.groups);
        environment.memory.release(table.bytes());
        // A group shows none of its inputs, yet subqueries of its output count their slots after them.
        let inputs = std::iter::repeat_n(Value::Undefined, self.inputs);
        let slots: Vec<Value> = outer.iter().cloned().chain(inputs).collect();
        for group in table.into_groups() {
            let results: Vec<Value> =
                group.states.into_iter().map(AggregateState::finish).collect();
            let scope = Scope { environment, slots: &slots, keys: &group.keys, results: &results };
            self.output(progress, &scope, give)?;
        }
        Ok(())
    }

    /// Makes the output of a row or group, and holds it when it must wait for its place.
    fn output(&self, progress: &mut Progress, scope: &Scope<'_>, give: &mut TakeRow<'_>) -> Flow {
        let row = self.project.row(scope)?;
        if !row.is_defined() && !self.order.as_ref().is_some_and(Order::needs_all_rows) {
            return Ok(());
        }
        match &self.order {
            Some(order) => {
                // Equal rows are dropped after ordering, so no row can be let go before.
                let needed = if self.is_distinct { None } else { self.window.reach() };
                Ok(order.hold(&mut progress.held, row, scope, needed)?)
            }
            None => self.pass(progress, row, scope.environment.memory, give),
        }
    }

    /// Passes an output row in its final order through DISTINCT and the window.
    fn pass(
        &self,
        progress: &mut Progress,
        row: Value,
        memory: &Memory,
        give: &mut TakeRow<'_>,
    ) -> Flow {
        if self.is_distinct && !progress.distinct.is_new(&row, memory)? {
            return Ok(());
        }
        self.window.pass(&mut progress.window, || give(row))
    }
}

impl Progress {
    /// Lets everything go.
    pub(in crate::operator) fn release(self, memory: &Memory) {
        memory.release(self.groups.bytes());
        memory.release(self.held.bytes());
        self.distinct.release(memory);
    }
}
