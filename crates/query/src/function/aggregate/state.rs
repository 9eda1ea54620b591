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

    /// The bytes of the string that MIN or MAX keeps; zero for the others.
    pub(crate) fn text_bytes(&self) -> usize {
        match &self.0 {
            AggregateStateKind::Extreme(extreme) => extreme.text_bytes(),
            _ => 0,
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
}
