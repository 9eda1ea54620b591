//! The product of inputs.
//!
//! Owns the walk that fills one slot after the other and passes every complete row on at once: no product is ever held.
//! An input that is undefined, or is to be iterated and is no array, gives no row.

use super::source::{PreparedRoot, PreparedSource};
use crate::evaluate::{EvaluationEnvironment, EvaluationScope, Flow, SlotSink, follow_path};
use crate::value::Value;

/// Fills the slots of the inputs, starting from those before, and passes each row on.
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
            let before = slots.clone();
            let scope = EvaluationScope::row(environment, &before);
            query.pass_rows(&scope, &mut |row| {
                fill(environment, source, rest, &row, given, slots, take)
            })
        }
    }
}

/// Fills the slot of one input from where it starts, and those after it.
fn fill(
    environment: &EvaluationEnvironment<'_>,
    source: &PreparedSource,
    rest: &[PreparedSource],
    start: &Value,
    given: &Value,
    slots: &mut Vec<Value>,
    take: &mut SlotSink<'_>,
) -> Flow {
    let Some(value) = follow_path(start, &source.path) else { return Ok(()) };
    let filled = slots.len();
    let mut next = |value: &Value| {
        slots.push(value.clone());
        let flow = unnest(environment, rest, given, slots, take);
        slots.truncate(filled);
        flow
    };
    if source.iterates {
        return value.as_array().unwrap_or_default().iter().try_for_each(|element| {
            environment.memory.count_tuple();
            next(element)
        });
    }
    if value.is_defined() { next(value) } else { Ok(()) }
}
