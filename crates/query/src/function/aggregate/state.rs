//! The state of a running aggregate.
//!
//! Owns start, add, merge and finish for every aggregate, and the partial results that partitions exchange. Does not
//! own the sums and extremes themselves.

use std::collections::HashSet;

use super::extreme::{Extreme, ExtremeKind};
use super::total::Total;
use crate::value::Value;
use crate::value::arithmetic::divide;

/// Which aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// `AVG`.
    Average,
    /// `COUNT`.
    Count,
    /// `COUNTIF`.
    CountIf,
    /// `MAKELIST`.
    MakeList,
    /// `MAKESET`.
    MakeSet,
    /// `MAX`.
    Max,
    /// `MIN`.
    Min,
    /// `SUM`.
    Sum,
}

/// The state of an aggregate over the rows so far.
#[derive(Clone, Debug)]
pub struct AggregateState(AggregateStateKind);

#[derive(Clone, Debug)]
enum AggregateStateKind {
    Average { sum: Total, count: i64 },
    Count(i64),
    CountIf(i64),
    Extreme(Extreme),
    List(Vec<Value>),
    // The list keeps the order of the first occurrences, which the set alone would lose. Clones share their content.
    Set { elements: Vec<Value>, unique: HashSet<Value> },
    Sum(Total),
}

impl Aggregate {
    /// The state before the first row.
    #[must_use]
    pub fn start(self) -> AggregateState {
        AggregateState(match self {
            Self::Average => AggregateStateKind::Average { sum: Total::new(), count: 0 },
            Self::Count => AggregateStateKind::Count(0),
            Self::CountIf => AggregateStateKind::CountIf(0),
            Self::MakeList => AggregateStateKind::List(Vec::new()),
            Self::MakeSet => {
                AggregateStateKind::Set { elements: Vec::new(), unique: HashSet::new() }
            }
            Self::Max => AggregateStateKind::Extreme(Extreme::new(ExtremeKind::Greatest)),
            Self::Min => AggregateStateKind::Extreme(Extreme::new(ExtremeKind::Least)),
            Self::Sum => AggregateStateKind::Sum(Total::new()),
        })
    }

    /// Restores the state from a partial result; `None` if it does not have the form that `AggregateState::partial`
    /// returns.
    #[must_use]
    pub fn resume(self, partial: &Value) -> Option<AggregateState> {
        // A partial result has been on the wire, so it is checked like any other input.
        let count = |value: &Value| value.as_i64().filter(|count| *count >= 0);
        Some(AggregateState(match self {
            Self::Average => AggregateStateKind::Average {
                sum: Total::from_partial(&partial.property("sum")),
                count: count(&partial.property("count"))?,
            },
            Self::Count => AggregateStateKind::Count(count(partial)?),
            Self::CountIf => AggregateStateKind::CountIf(count(partial)?),
            Self::MakeList | Self::MakeSet => {
                let mut state = self.start();
                partial.as_array()?.iter().for_each(|element| state.add(element.clone()));
                return Some(state);
            }
            Self::Max => {
                AggregateStateKind::Extreme(Extreme::from_partial(ExtremeKind::Greatest, partial)?)
            }
            Self::Min => {
                AggregateStateKind::Extreme(Extreme::from_partial(ExtremeKind::Least, partial)?)
            }
            Self::Sum => AggregateStateKind::Sum(Total::from_partial(partial)),
        }))
    }
}

impl AggregateState {
    /// Adds the value of one row; undefined is ignored.
    pub fn add(&mut self, value: Value) {
        if !value.is_defined() {
            return;
        }
        match &mut self.0 {
            AggregateStateKind::Average { sum, count } => {
                sum.add(&value);
                *count += 1;
            }
            AggregateStateKind::Count(count) => *count += 1,
            AggregateStateKind::CountIf(count) => *count += i64::from(value == Value::Bool(true)),
            AggregateStateKind::Extreme(extreme) => extreme.add(value),
            AggregateStateKind::List(elements) => elements.push(value),
            AggregateStateKind::Set { elements, unique } => {
                if unique.insert(value.clone()) {
                    elements.push(value);
                }
            }
            AggregateStateKind::Sum(sum) => sum.add(&value),
        }
    }

    /// Merges the state of the same aggregate over other rows; one of another aggregate is ignored. For integers the
    /// result does not depend on how rows are split; sums of doubles may differ in rounding.
    pub fn merge(&mut self, other: Self) {
        match (&mut self.0, other.0) {
            (
                AggregateStateKind::Average { sum, count },
                AggregateStateKind::Average { sum: other, count: more },
            ) => {
                sum.merge(&other);
                *count = count.saturating_add(more);
            }
            (AggregateStateKind::Count(count), AggregateStateKind::Count(more))
            | (AggregateStateKind::CountIf(count), AggregateStateKind::CountIf(more)) => {
                *count = count.saturating_add(more);
            }
            (AggregateStateKind::Extreme(extreme), AggregateStateKind::Extreme(other)) => {
                extreme.merge(&other);
            }
            (AggregateStateKind::List(elements), AggregateStateKind::List(more)) => {
                elements.extend(more);
            }
            (AggregateStateKind::Set { .. }, AggregateStateKind::Set { elements, .. }) => {
                elements.into_iter().for_each(|element| self.add(element));
            }
            (AggregateStateKind::Sum(sum), AggregateStateKind::Sum(other)) => sum.merge(&other),
            _ => debug_assert!(false, "states of different aggregates are never merged"),
        }
    }

    /// The result over all rows.
    #[must_use]
    pub fn finish(self) -> Value {
        match self.0 {
            // The average of no values is undefined, not NaN.
            AggregateStateKind::Average { count: 0, .. } => Value::Undefined,
            // A poisoned sum is undefined, and so is its quotient.
            AggregateStateKind::Average { sum, count } => divide(&sum.value(), &count.into()),
            AggregateStateKind::Count(count) | AggregateStateKind::CountIf(count) => count.into(),
            AggregateStateKind::Extreme(extreme) => extreme.value(),
            AggregateStateKind::List(elements) | AggregateStateKind::Set { elements, .. } => {
                Value::array(elements)
            }
            AggregateStateKind::Sum(sum) => sum.value(),
        }
    }

    /// The partial result, in the form that clients merge: `{"sum","count"}` for AVG, `{"min","count"}` for MIN,
    /// `{"max","count"}` for MAX, the plain result for the others.
    #[must_use]
    pub fn partial(&self) -> Value {
        match &self.0 {
            AggregateStateKind::Average { sum, count } => {
                Value::object([("sum", sum.value()), ("count", (*count).into())])
            }
            AggregateStateKind::Extreme(extreme) => extreme.partial(),
            _ => self.clone().finish(),
        }
    }
}
