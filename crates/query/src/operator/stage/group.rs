//! GROUP BY and aggregates.
//!
//! Owns the table of groups, in the order of their first row, and the state of their aggregates; undefined is a key
//! like any other. Does not own what aggregates compute: see `function::aggregate`.

use std::collections::HashMap;
use std::sync::Arc;

use crate::bind::{BoundQuery, Grouping};
use crate::budget::{MemoryBudget, text_units, value_bytes, value_units};
use crate::evaluate::{EvaluationError, EvaluationScope, Formula, Preparation};
use crate::function::{Aggregate, AggregateState, FunctionBody, lookup};
use crate::value::Value;

/// One group: its keys and the state of its aggregates over the rows so far.
#[derive(Debug)]
pub(super) struct Group {
    /// The values of GROUP BY; empty without that clause.
    pub(super) keys: Arc<[Value]>,
    /// The state of each aggregate, in the order of the query's list.
    pub(super) states: Vec<AggregateState>,
}

/// The GROUP BY stage of a query.
#[derive(Debug)]
pub(super) struct GroupStage {
    /// The expressions of GROUP BY; `None` if all rows are one group.
    keys: Option<Vec<Formula>>,
    aggregates: Vec<(Aggregate, Formula)>,
}

/// The groups so far.
#[derive(Debug, Default)]
pub(super) struct GroupTable {
    indexes: HashMap<Arc<[Value]>, usize>,
    groups: Vec<Group>,
    bytes: usize,
}

impl GroupStage {
    /// Prepares the grouping of a query; `None` if its rows are not grouped.
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

    /// The table before the first row. Without GROUP BY there is one group even without rows: `SELECT COUNT(1)` over
    /// nothing returns 0.
    pub(super) fn start(&self) -> GroupTable {
        let mut table = GroupTable::default();
        if self.keys.is_none() {
            table.insert(self.empty(Arc::new([])));
        }
        table
    }

    /// Adds a row to its group.
    pub(super) fn add(
        &self,
        table: &mut GroupTable,
        scope: &EvaluationScope<'_>,
    ) -> Result<(), EvaluationError> {
        let keys = match &self.keys {
            Some(keys) => Formula::evaluate_all(keys, scope)?,
            None => Vec::new(),
        };
        let budget = scope.environment.budget;
        let memory = &budget.memory;
        // Everything is evaluated before anything is changed: a row that is interrupted here is pushed again.
        let mut values = Vec::with_capacity(self.aggregates.len());
        for (_, argument) in &self.aggregates {
            values.push(argument.evaluate(scope)?);
        }
        // Keys and members of sets are hashed as a whole, the strings of MIN and MAX compared.
        let units = keys.iter().map(value_units).sum::<u64>();
        let aggregated = self.aggregates.iter().zip(&values);
        let units =
            units + aggregated.map(|((kind, _), value)| added_units(*kind, value)).sum::<u64>();
        budget.work.spend(units)?;
        // Looked up by slice: a row of a known group allocates no key.
        let group_index = match table.indexes.get(keys.as_slice()) {
            Some(index) => *index,
            None => {
                table.reserve(group_bytes(&keys), memory)?;
                table.insert(self.empty(keys.into()))
            }
        };
        for (index, ((aggregate, _), value)) in self.aggregates.iter().zip(values).enumerate() {
            // These grow with the number of rows; the others have a fixed size, counted with the group.
            if matches!(aggregate, Aggregate::MakeList | Aggregate::MakeSet) {
                table.reserve(value_bytes(&value), memory)?;
            }
            let state =
                table.groups.get_mut(group_index).and_then(|group| group.states.get_mut(index));
            if let Some(state) = state {
                let before = state.text_bytes();
                state.add(value);
                // MIN and MAX keep one string, which may be replaced by a longer or a shorter one.
                let after = state.text_bytes();
                table.release(before.saturating_sub(after), memory);
                table.reserve(after.saturating_sub(before), memory)?;
            }
        }
        Ok(())
    }

    fn empty(&self, keys: Arc<[Value]>) -> Group {
        let states = self.aggregates.iter().map(|(aggregate, _)| aggregate.start());
        Group { keys, states: states.collect() }
    }
}

impl GroupTable {
    /// The groups, in the order of their first row.
    pub(super) fn into_groups(self) -> Vec<Group> {
        self.groups
    }

    /// The number of groups.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// The number of bytes counted for the groups.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn insert(&mut self, group: Group) -> usize {
        let index = self.groups.len();
        self.indexes.insert(group.keys.clone(), index);
        self.groups.push(group);
        index
    }

    fn release(&mut self, bytes: usize, memory: &MemoryBudget) {
        self.bytes -= bytes;
        memory.release(bytes);
    }

    fn reserve(&mut self, bytes: usize, memory: &MemoryBudget) -> Result<(), EvaluationError> {
        self.bytes += bytes;
        Ok(memory.reserve(bytes)?)
    }
}

/// The units of adding a value to an aggregate.
fn added_units(aggregate: Aggregate, value: &Value) -> u64 {
    match aggregate {
        Aggregate::MakeList | Aggregate::MakeSet => value_units(value),
        Aggregate::Max | Aggregate::Min => text_units(value),
        _ => 0,
    }
}

/// The estimated size of a group: its keys, its states and its table entry.
fn group_bytes(keys: &[Value]) -> usize {
    const STATES_BYTES: usize = 256;
    STATES_BYTES + keys.iter().map(value_bytes).sum::<usize>()
}
