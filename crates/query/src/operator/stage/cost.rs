//! The work of a row, known before the query runs.
//!
//! Owns the units of the expressions of a query: a long expression is work even if it calls nothing. Does not own the
//! work of functions, comparisons and subqueries: they count it when they run.

use model::Json;

use crate::ast::BinaryOperator;
use crate::bind::{BoundOrderBy, BoundQuery, Expression, Grouping, OutputProjection};

/// Nodes of an expression that count as one unit.
const UNIT_NODES: u64 = 8;

/// The units of the expressions of a query.
pub(super) struct QueryCosts {
    pub(super) filter_units: u64,
    pub(super) output_units: u64,
    pub(super) has_plain_output: bool,
    pub(super) has_plain_filter: bool,
}

impl QueryCosts {
    pub(super) fn of(query: &BoundQuery) -> Self {
        let mut filter = NodeCount::default();
        query.filter.iter().for_each(|filtered| filter.add(filtered));
        let mut output = NodeCount::default();
        match &query.output.projection {
            OutputProjection::Input(_) => {}
            OutputProjection::Value(expression) => output.add(expression),
            OutputProjection::Object(properties) => {
                properties.iter().for_each(|property| output.add(&property.expression));
            }
        }
        match &query.order_by {
            BoundOrderBy::None => {}
            BoundOrderBy::Keys(keys) => keys.iter().for_each(|key| output.add(&key.expression)),
            BoundOrderBy::Rank(scores) => scores.iter().for_each(|score| output.add(score)),
        }
        let has_plain_output = !output.has_calls;
        if let Grouping::By(keys) = &query.grouping {
            keys.iter().for_each(|key| output.add(key));
        }
        query.aggregates.iter().for_each(|aggregate| output.add(&aggregate.argument));
        Self {
            filter_units: filter.units(),
            output_units: output.units(),
            has_plain_output,
            has_plain_filter: !filter.has_calls,
        }
    }
}

/// Counts the nodes of expressions.
#[derive(Default)]
pub(in crate::operator) struct NodeCount {
    nodes: u64,
    has_calls: bool,
}

impl NodeCount {
    pub(in crate::operator) fn add(&mut self, expression: &Expression) {
        self.nodes += 1;
        self.has_calls |= matches!(
            expression,
            Expression::Call { .. }
                | Expression::UdfCall { .. }
                | Expression::Subquery { .. }
                | Expression::Like { .. }
        ) || is_concatenation(expression)
            || is_large_parameter(expression);
        expression.for_each_child(&mut |child| self.add(child));
    }

    pub(in crate::operator) fn units(&self) -> u64 {
        self.nodes / UNIT_NODES
    }
}

/// Whether an expression builds a string with `||`.
fn is_concatenation(expression: &Expression) -> bool {
    let Expression::Chain { rest, .. } = expression else { return false };
    rest.iter().any(|(operator, _)| *operator == BinaryOperator::Concatenate)
}

/// Whether an expression is a value of the request that takes long to compare or to print.
fn is_large_parameter(expression: &Expression) -> bool {
    const TEXT_BYTES_MAX: usize = 1024;
    match expression {
        Expression::Parameter(Json::String(text)) => text.len() > TEXT_BYTES_MAX,
        Expression::Parameter(Json::Array(_) | Json::Object(_)) => true,
        _ => false,
    }
}
