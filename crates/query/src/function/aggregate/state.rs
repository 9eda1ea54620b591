//! The state of an aggregate while rows pass.
//!
//! Owns start, add, merge and finish for every aggregate, and the partial shapes partitions exchange. Does not own the
//! sums and extremes themselves.

use std::collections::HashSet;

use super::extreme::{End, Extreme};
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

/// What an aggregate has seen so far.
#[derive(Clone, Debug)]
pub struct AggregateState(State);

#[derive(Clone, Debug)]
enum State {
    Average { sum: Total, count: i64 },
    Count(i64),
    CountIf(i64),
    Extreme(Extreme),
    List(Vec<Value>),
    Set { elements: Vec<Value>, seen: HashSet<Value> },
    Sum(Total),
}

impl Aggregate {
    /// The state before the first row.
    #[must_use]
    pub fn start(self) -> AggregateState {
        AggregateState(match self {
            Self::Average => State::Average { sum: Total::new(), count: 0 },
            Self::Count => State::Count(0),
            Self::CountIf => State::CountIf(0),
            Self::MakeList => State::List(Vec::new()),
            Self::MakeSet => State::Set { elements: Vec::new(), seen: HashSet::new() },
            Self::Max => State::Extreme(Extreme::new(End::Greatest)),
            Self::Min => State::Extreme(Extreme::new(End::Least)),
            Self::Sum => State::Sum(Total::new()),
        })
    }

    /// The state behind a partial result; none when it has not the shape `AggregateState::partial` gives.
    #[must_use]
    pub fn resume(self, partial: &Value) -> Option<AggregateState> {
        let count = |value: &Value| value.as_i64().filter(|count| *count >= 0);
        Some(AggregateState(match self {
            Self::Average => State::Average {
                sum: Total::from_partial(&partial.property("sum")),
                count: count(&partial.property("count"))?,
            },
            Self::Count => State::Count(count(partial)?),
            Self::CountIf => State::CountIf(count(partial)?),
            Self::MakeList | Self::MakeSet => {
                let mut state = self.start();
                partial.as_array()?.iter().for_each(|element| state.add(element.clone()));
                return Some(state);
            }
            Self::Max => State::Extreme(Extreme::from_partial(End::Greatest, partial)?),
            Self::Min => State::Extreme(Extreme::from_partial(End::Least, partial)?),
            Self::Sum => State::Sum(Total::from_partial(partial)),
        }))
    }
}

impl AggregateState {
    /// Takes the value of one row into account; an undefined one never counts.
    pub fn add(&mut self, value: Value) {
        if !value.is_defined() {
            return;
        }
        match &mut self.0 {
            State::Average { sum, count } => {
                sum.add(&value);
                *count += 1;
            }
            State::Count(count) => *count += 1,
            State::CountIf(count) => *count += i64::from(value == Value::Bool(true)),
            State::Extreme(extreme) => extreme.add(value),
            State::List(elements) => elements.push(value),
            State::Set { elements, seen } => {
                if seen.insert(value.clone()) {
                    elements.push(value);
                }
            }
            State::Sum(sum) => sum.add(&value),
        }
    }

    /// Takes a state of the same aggregate over other rows into account; one of another aggregate is ignored.
    pub fn merge(&mut self, other: Self) {
        match (&mut self.0, other.0) {
            (State::Average { sum, count }, State::Average { sum: other, count: more }) => {
                sum.merge(&other);
                *count = count.saturating_add(more);
            }
            (State::Count(count), State::Count(more))
            | (State::CountIf(count), State::CountIf(more)) => *count = count.saturating_add(more),
            (State::Extreme(extreme), State::Extreme(other)) => extreme.merge(&other),
            (State::List(elements), State::List(more)) => elements.extend(more),
            (State::Set { .. }, State::Set { elements, .. }) => {
                elements.into_iter().for_each(|element| self.add(element));
            }
            (State::Sum(sum), State::Sum(other)) => sum.merge(&other),
            _ => debug_assert!(false, "states of different aggregates are never merged"),
        }
    }

    /// The result over all rows.
    #[must_use]
    pub fn finish(self) -> Value {
        match self.0 {
            State::Average { count: 0, .. } => Value::Undefined,
            State::Average { sum, count } => divide(&sum.value(), &count.into()),
            State::Count(count) | State::CountIf(count) => count.into(),
            State::Extreme(extreme) => extreme.value(),
            State::List(elements) | State::Set { elements, .. } => Value::array(elements),
            State::Sum(sum) => sum.value(),
        }
    }

    /// The result so far in the shape another partition's can be merged with: `{"sum","count"}` for AVG,
    /// `{"min","count"}` for MIN, the plain result for the others.
    #[must_use]
    pub fn partial(&self) -> Value {
        match &self.0 {
            State::Average { sum, count } => {
                Value::object([("sum", sum.value()), ("count", (*count).into())])
            }
            State::Extreme(extreme) => extreme.partial(),
            _ => self.clone().finish(),
        }
    }
}
