//! The product of inputs.
//!
//! Owns filling one slot after the other and emitting every complete row immediately: the product is never
//! materialized. An input that is undefined, or that is iterated and not an array, produces no row.

use super::source::{PreparedRoot, PreparedSource};
use crate::evaluate::{EvaluationEnvironment, EvaluationScope, Flow, SlotSink, follow_path_within};
use crate::value::Value;

/// Fills the slots of the inputs after those already filled, and emits each complete row.
pub(super) fn unnest(
    environment: &EvaluationEnvironment<'_>,
    sources: &[PreparedSource],
    given: &Value,
    slots: &mut Vec<Value>,
    take: &mut SlotSink<'_>,
) -> Flow {
    let Some((source, rest)) = sources.split_first() else {
        return take(slots);
    };
    match &source.root {
        PreparedRoot::Item => fill(environment, source, rest, given, given, slots, take),
        PreparedRoot::Slot(slot) => {
            let start = slots.get(*slot).cloned().unwrap_or_default();
            fill(environment, source, rest, &start, given, slots, take)
        }
        PreparedRoot::Rows(query) => {
            // The query reads the slots before it while the closure below pushes onto the same list.
            let before = slots.clone();
            let scope = EvaluationScope::row(environment, &before);
            query.pass_rows(&scope, &mut |row| {
                fill(environment, source, rest, &row, given, slots, take)
            })
        }
    }
}

/// Fills the slot of one input and then those after it.
fn fill(
    environment: &EvaluationEnvironment<'_>,
    source: &PreparedSource,
    rest: &[PreparedSource],
    start: &Value,
    given: &Value,
    slots: &mut Vec<Value>,
    take: &mut SlotSink<'_>,
) -> Flow {
    let work = &environment.budget.work;
    let Some(value) = follow_path_within(start, &source.path, work)? else { return Ok(()) };
    let filled = slots.len();
    let mut next = |value: &Value| {
        slots.push(value.clone());
        let flow = unnest(environment, rest, given, slots, take);
        // Also after an error or a stop, so that the caller finds the list as it was.
        slots.truncate(filled);
        flow
    };
    if source.iterates {
        return value.as_array().unwrap_or_default().iter().try_for_each(|element| {
            environment.budget.work.spend_tuple()?;
            next(element)
        });
    }
    if value.is_defined() { next(value) } else { Ok(()) }
}
