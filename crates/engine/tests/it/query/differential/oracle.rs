//! What a query must give: the naive evaluator over every live item, no index, no partitions.
//!
//! Rows that are equal in order form one class; their sequence inside it is open. A query without ORDER BY is one
//! class. A window (TOP, OFFSET LIMIT) cuts the sequence of classes, so a class may be wanted only in part.

use std::cmp::Ordering;
use std::collections::HashSet;

use model::Json;
use query::bind::{
    BoundOrderBy as Order, BoundQuery, Expression, OutputProjection, OutputProperty,
};
use query::function::UtcDateTime;
use query::plan::access::{Indexes, plan_access};
use query::value::{Value, total_order};
use query::{
    BuiltInFunctions, ComputedProperties, EvaluationContext, EvaluationError, Parameters,
    QueryError, QueryExecutor, bind_with, parse, row_text,
};

use super::grammar::QueryText;
use super::rows;

/// What a query must give.
#[derive(Debug)]
pub(super) enum Expected {
    Rows(ExpectedRows),
    /// It is refused for these reasons.
    Refused(Vec<QueryError>),
    /// Some item makes it fail.
    Fails {
        errors: Vec<QueryError>,
        /// Whether an answer may do without that item.
        may_succeed: bool,
    },
}

/// The rows, class by class, and the window over them.
#[derive(Debug)]
pub(super) struct ExpectedRows {
    classes: Vec<Vec<String>>,
    skip: usize,
    take: usize,
    comparison: rows::Comparison,
}

/// What the oracle knows besides the items.
pub(super) struct Circumstances<'world> {
    pub(super) indexes: &'world Indexes,
    pub(super) computed: &'world ComputedProperties,
    pub(super) now: UtcDateTime,
}

pub(super) fn parameters(query: &QueryText) -> Parameters {
    query.parameters.iter().cloned().collect()
}

/// What a query must give over these items.
pub(super) fn expected(
    query: &QueryText,
    items: &[Json],
    circumstances: &Circumstances<'_>,
) -> Expected {
    let bound = parse(&query.text).and_then(|tree| {
        bind_with(&tree, &parameters(query), &BuiltInFunctions, circumstances.computed)
    });
    let bound = match bound {
        Ok(bound) => bound,
        Err(errors) => return Expected::Refused(errors),
    };
    if let Err(error) = plan_access(&bound, circumstances.indexes) {
        return Expected::Refused(vec![error]);
    }
    let is_cut = bound.top.is_some() || bound.offset.is_some();
    match classes(&bound, items, circumstances.now) {
        Ok(classes) => Expected::Rows(ExpectedRows {
            classes,
            skip: bound.offset.unwrap_or_default() as usize,
            take: bound.top.or(bound.limit).map_or(usize::MAX, |count| count as usize),
            comparison: rows::Comparison::of(&bound),
        }),
        Err(error) => Expected::Fails { errors: vec![error.to_query_error()], may_succeed: is_cut },
    }
}

/// The rows of a query without its window, in any order.
pub(crate) fn unwindowed_rows(
    bound: &BoundQuery,
    items: &[Json],
) -> Result<Vec<String>, EvaluationError> {
    let now = UtcDateTime::from_milliseconds(0).expect("1970 is a year the language knows");
    classes(bound, items, now).map(|classes| classes.concat())
}

fn classes(
    bound: &BoundQuery,
    items: &[Json],
    now: UtcDateTime,
) -> Result<Vec<Vec<String>>, EvaluationError> {
    let mut whole = bound.clone();
    whole.top = None;
    whole.offset = None;
    whole.limit = None;
    let Order::Keys(keys) = &bound.order_by else {
        let rows = run(&whole, items, now)?;
        return Ok(vec![rows.iter().map(row_text).collect::<Result<_, _>>()?]);
    };
    let keys: Vec<Expression> = keys.iter().map(|key| key.expression.clone()).collect();
    with_keys(&mut whole, keys);
    let mut classes: Vec<(Vec<Value>, Vec<String>)> = Vec::new();
    let mut seen = HashSet::new();
    for row in run(&whole, items, now)? {
        let payload = row.property("payload");
        let is_dropped = !payload.is_defined();
        if is_dropped || (bound.output.distinct && !seen.insert(payload.clone())) {
            continue;
        }
        let keys: Vec<Value> =
            (0..).map(|place| row.property(&format!("k{place}"))).take(key_count(bound)).collect();
        let text = row_text(&payload)?;
        match classes.last_mut() {
            Some((known, rows)) if is_same(known, &keys) => rows.push(text),
            _ => classes.push((keys, vec![text])),
        }
    }
    assert_order(bound, &classes);
    Ok(classes.into_iter().map(|(_, rows)| rows).collect())
}

/// Makes each row an object of the row itself and its order keys.
fn with_keys(query: &mut BoundQuery, keys: Vec<Expression>) {
    query.output.distinct = false;
    let payload = match std::mem::replace(&mut query.output.projection, OutputProjection::Input(0))
    {
        OutputProjection::Input(slot) => Expression::Input(slot),
        OutputProjection::Value(expression) => expression,
        OutputProjection::Object(properties) => Expression::Object(
            properties.into_iter().map(|property| (property.name, property.expression)).collect(),
        ),
    };
    let mut properties = vec![OutputProperty { name: "payload".to_owned(), expression: payload }];
    for (place, expression) in keys.into_iter().enumerate() {
        properties.push(OutputProperty { name: format!("k{place}"), expression });
    }
    query.output.projection = OutputProjection::Object(properties);
}

fn key_count(query: &BoundQuery) -> usize {
    match &query.order_by {
        Order::Keys(keys) => keys.len(),
        _ => 0,
    }
}

fn is_same(left: &[Value], right: &[Value]) -> bool {
    left.iter().zip(right).all(|(left, right)| total_order(left, right) == Ordering::Equal)
}

/// The evaluator is not believed either: its classes must follow each other in order.
fn assert_order(query: &BoundQuery, classes: &[(Vec<Value>, Vec<String>)]) {
    let Order::Keys(keys) = &query.order_by else { return };
    let descends = |place: usize| keys[place].order == Some(query::ast::SortOrder::Descending);
    for pair in classes.windows(2) {
        let order = (0..keys.len())
            .map(|place| {
                let order = total_order(&pair[0].0[place], &pair[1].0[place]);
                if descends(place) { order.reverse() } else { order }
            })
            .find(|order| *order != Ordering::Equal);
        assert_eq!(order, Some(Ordering::Less), "{:?}", [&pair[0].0, &pair[1].0]);
    }
}

fn run(
    query: &BoundQuery,
    items: &[Json],
    now: UtcDateTime,
) -> Result<Vec<Value>, EvaluationError> {
    let mut executor = QueryExecutor::new(query, EvaluationContext::starting_at(now));
    for item in items {
        executor.push(item)?;
    }
    executor.finish()
}

impl ExpectedRows {
    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        let all: usize = self.classes.iter().map(Vec::len).sum();
        all.saturating_sub(self.skip).min(self.take)
    }

    /// What is wrong with an answer.
    pub(super) fn check(&self, found: &[String]) -> Result<(), String> {
        let expected = self.len();
        if found.len() != expected {
            return Err(format!("{} rows instead of {expected}", found.len()));
        }
        let (mut start, mut taken) = (0, 0);
        for class in &self.classes {
            let from = start.max(self.skip);
            let to = (start + class.len()).min(self.skip.saturating_add(self.take));
            start += class.len();
            if from >= to {
                continue;
            }
            let part = &found[taken..taken + (to - from)];
            self.comparison
                .check_part(class, part)
                .map_err(|message| format!("from row {taken}: {message}"))?;
            taken += to - from;
        }
        Ok(())
    }
}

impl std::fmt::Display for ExpectedRows {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(formatter, "skip {} take {}", self.skip, self.take)?;
        for class in &self.classes {
            writeln!(formatter, "  {}", class.join("\n  = "))?;
        }
        Ok(())
    }
}

#[test]
fn an_answer_is_held_against_classes_and_window() {
    let texts = |rows: &[&str]| rows.iter().map(|row| (*row).to_owned()).collect::<Vec<_>>();
    let expected = ExpectedRows {
        classes: vec![texts(&["1", "2", "3"]), texts(&["4"]), texts(&["5", "5", "6"])],
        skip: 1,
        take: 4,
        comparison: rows::Comparison::Exact,
    };
    for right in [["1", "3", "4", "5"], ["2", "1", "4", "6"]] {
        assert_eq!(expected.check(&texts(&right)), Ok(()));
    }
    let wrong: [&[&str]; 6] = [
        &["1", "3", "4"],
        &["1", "3", "4", "5", "5"],
        &["1", "1", "4", "5"],
        &["1", "4", "3", "5"],
        &["1", "5", "4", "5"],
        &["1", "3", "4", "7"],
    ];
    for wrong in wrong {
        assert!(expected.check(&texts(wrong)).is_err(), "{wrong:?}");
    }
}
