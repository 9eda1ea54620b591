//! Subqueries.
//!
//! Owns how rows become a value, a Boolean or an array, and when enough rows were seen. Does not own how the rows are
//! made: see `operator`.

use std::fmt;

use crate::ast::SubqueryKind;
use crate::budget::{byte_units, value_bytes};
use crate::evaluate::{EvaluationError, EvaluationScope, RowSink, StopReason};
use crate::value::Value;

/// A prepared query inside an expression. `operator` implements it.
pub(crate) trait Subquery: fmt::Debug + Send + Sync {
    /// Runs the query for one row of the query around it and hands each row to `take`, until `take` asks to stop.
    fn rows(
        &self,
        scope: &EvaluationScope<'_>,
        take: &mut RowSink<'_>,
    ) -> Result<(), EvaluationError>;
}

pub(super) fn evaluate(
    kind: SubqueryKind,
    query: &dyn Subquery,
    scope: &EvaluationScope<'_>,
) -> Result<Value, EvaluationError> {
    let budget = scope.environment.budget;
    let built = budget.memory.built_bytes();
    let value = value(kind, query, scope);
    // What the rows built is gone, except for the value, which the row around uses.
    budget.memory.reset_built(built);
    let value = value?;
    let bytes = value_bytes(&value);
    budget.memory.build(bytes)?;
    // Counting the bytes has read the whole value, which need not be new: `(SELECT VALUE c.list)`.
    budget.work.spend(byte_units(bytes))?;
    Ok(value)
}

fn value(
    kind: SubqueryKind,
    query: &dyn Subquery,
    scope: &EvaluationScope<'_>,
) -> Result<Value, EvaluationError> {
    match kind {
        SubqueryKind::Scalar => only(query, scope),
        SubqueryKind::Exists => {
            let mut found = false;
            query.rows(scope, &mut |_| {
                found = true;
                Err(StopReason::Enough)
            })?;
            Ok(found.into())
        }
        SubqueryKind::Array => all(query, scope),
        SubqueryKind::All => {
            let mut holds = true;
            query.rows(scope, &mut |row| {
                holds = row == Value::Bool(true);
                if holds { Ok(()) } else { Err(StopReason::Enough) }
            })?;
            Ok(holds.into())
        }
        SubqueryKind::First => {
            let mut first = Value::Undefined;
            query.rows(scope, &mut |row| {
                first = row;
                Err(StopReason::Enough)
            })?;
            Ok(first)
        }
        SubqueryKind::Last => {
            let mut last = Value::Undefined;
            query.rows(scope, &mut |row| {
                last = row;
                Ok(())
            })?;
            Ok(last)
        }
    }
}

/// Returns the only row; a second one is an error.
fn only(query: &dyn Subquery, scope: &EvaluationScope<'_>) -> Result<Value, EvaluationError> {
    let mut only = Value::Undefined;
    query.rows(scope, &mut |row| {
        // Rows are never undefined, so a defined value means that there was a row already.
        if only.is_defined() {
            return Err(EvaluationError::ScalarSubqueryRows.into());
        }
        only = row;
        Ok(())
    })?;
    Ok(only)
}

/// Collects all rows. They count against the memory limit while they are collected, because a subquery can multiply
/// arrays.
fn all(query: &dyn Subquery, scope: &EvaluationScope<'_>) -> Result<Value, EvaluationError> {
    let budget = scope.environment.budget;
    let mut rows = Vec::new();
    let mut bytes = 0;
    let result = query.rows(scope, &mut |row| {
        let more = value_bytes(&row);
        bytes += more;
        rows.push(row);
        budget.memory.reserve(more)?;
        // Counting the bytes has read the whole row.
        Ok(budget.work.spend(byte_units(more))?)
    });
    // Before the error is returned: the query around may go on, for example in a coalesce.
    budget.memory.release(bytes);
    result?;
    Ok(Value::array(rows))
}
