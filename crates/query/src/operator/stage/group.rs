//! GROUP BY and aggregates.
//!
//! Owns the table of groups, in the order in which they first appear, and the state of their aggregates; undefined is a
//! key like any other. Does not own what aggregates compute: see `function::aggregate`.

use std::collections::HashMap;
use std::sync::Arc;

use crate::bind::{BoundQuery, Grouping};
use crate::evaluate::{
    EvaluationError, EvaluationScope, Formula, MemoryBudget, Preparation, value_bytes,
};
use crate::function::{Aggregate, AggregateState, FunctionBody, lookup};
use crate::value::Value;

/// One group over the rows seen so far: what partitions exchange.
#[derive(Clone, Debug)]
pub struct PartialGroup {
    /// The values of GROUP BY; empty without that clause.
    pub keys: Arc<[Value]>,
    /// The state of each aggregate, in the order of the query's list.
    pub states: Vec<AggregateState>,
}

/// How rows are put together.
#[derive(Debug)]
pub(super) struct GroupStage {
    /// The expressions of GROUP BY; none when all rows are one group.
    keys: Option<Vec<Formula>>,
    aggregates: Vec<(Aggregate, Formula)>,
}

/// The groups so far.
#[derive(Debug, Default)]
pub(super) struct GroupTable {
    places: HashMap<Arc<[Value]>, usize>,
    groups: Vec<PartialGroup>,
    bytes: usize,
}

impl GroupStage {
    /// The grouping of a query; none when its rows stand for themselves.
    pub(super) fn prepare(query: &BoundQuery, preparation: &Preparation<'_>) -> Option<Self> {
        let keys = match &query.grouping {
            Grouping::None => return None,
            Grouping::Whole => None,
            Grouping::By(keys) => Some(preparation.formulas(keys)),
        };
        let aggregates = query.aggregates.iter().filter_map(|aggregate| {
            let function = lookup(aggregate.function)?;
            let FunctionBody::Aggregate(kind) = function.body else { return None };
            Some((kind, preparation.formula(&aggregate.argument)))
        });
        Some(Self { keys, aggregates: aggregates.collect() })
    }

    /// The groups before the first row: the whole is one even without rows.
    pub(super) fn start(&self) -> GroupTable {
        let mut table = GroupTable::default();
        if self.keys.is_none() {
            table.insert(self.empty(Arc::new([])));
        }
        table
    }

    /// Puts a row into its group.
    pub(super) fn add(
        &self,
        table: &mut GroupTable,
        scope: &EvaluationScope<'_>,
    ) -> Result<(), EvaluationError> {
        let keys = match &self.keys {
            Some(keys) => Formula::evaluate_all(keys, scope)?,
            None => Vec::new(),
        };
        let memory = scope.environment.memory;
        let place = match table.places.get(keys.as_slice()) {
            Some(place) => *place,
            None => {
                table.hold(group_bytes(&keys), memory)?;
                table.insert(self.empty(keys.into()))
            }
        };
        for (index, (aggregate, argument)) in self.aggregates.iter().enumerate() {
            let value = argument.evaluate(scope)?;
            if matches!(aggregate, Aggregate::MakeList | Aggregate::MakeSet) {
                table.hold(value_bytes(&value), memory)?;
            }
            let state = table.groups.get_mut(place).and_then(|group| group.states.get_mut(index));
            if let Some(state) = state {
                state.add(value);
            }
        }
        Ok(())
    }

    /// Takes a group reached elsewhere into account.
    pub(super) fn merge(
        &self,
        table: &mut GroupTable,
        group: PartialGroup,
        memory: &MemoryBudget,
    ) -> Result<(), EvaluationError> {
        match table.places.get(&group.keys).and_then(|place| table.groups.get_mut(*place)) {
            Some(known) => {
                for (known, state) in known.states.iter_mut().zip(group.states) {
                    known.merge(state);
                }
            }
            None => {
                table.hold(group_bytes(&group.keys), memory)?;
                table.insert(group);
            }
        }
        Ok(())
    }

    fn empty(&self, keys: Arc<[Value]>) -> PartialGroup {
        let states = self.aggregates.iter().map(|(aggregate, _)| aggregate.start());
        PartialGroup { keys, states: states.collect() }
    }
}

impl GroupTable {
    /// The groups, in the order in which they first appeared.
    pub(super) fn into_groups(self) -> Vec<PartialGroup> {
        self.groups
    }

    /// How many bytes the groups are counted with.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn insert(&mut self, group: PartialGroup) -> usize {
        let place = self.groups.len();
        self.places.insert(group.keys.clone(), place);
        self.groups.push(group);
        place
    }

    fn hold(&mut self, bytes: usize, memory: &MemoryBudget) -> Result<(), EvaluationError> {
        self.bytes += bytes;
        memory.hold(bytes)
    }
}

/// What a group is counted with: its keys, its states and its place in the table.
fn group_bytes(keys: &[Value]) -> usize {
    const STATES_BYTES: usize = 256;
    STATES_BYTES + keys.iter().map(value_bytes).sum::<usize>()
}
