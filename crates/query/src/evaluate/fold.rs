//! Folding of calls with constant arguments.
//!
//! Owns which calls can be computed before the query runs: those of functions that depend on nothing but their
//! arguments and the geospatial configuration, and whose result is small. Only the planner needs this, to find out that
//! a filter is never true; a running query computes such a call once when it is prepared.

use std::sync::Arc;

use model::{FullTextPolicy, GeospatialConfig, VectorEmbeddingPolicy};

use super::constant;
use crate::ast::Literal;
use crate::bind::{BoundQuery, Expression};
use crate::budget::{EachWorkLimit, EvaluationBudget, WorkGovernor};
use crate::function::{
    CallContext, FunctionBody, FunctionFamily, PatternCache, ReturnKind, UtcDateTime, lookup,
};
use crate::value::Value;

/// Units of work that folding one call may take: it runs on the task of the request.
const FOLDED_UNITS_MAX: u64 = 1_000;

/// Bytes that folding one call may build.
const FOLDED_BYTES_MAX: usize = 1 << 20;

/// The query with the constant calls of its filter replaced by their results; `None` if there are none.
pub(crate) fn fold_calls(query: &BoundQuery, geospatial: GeospatialConfig) -> Option<BoundQuery> {
    let filter = fold(query.filter.as_ref()?, geospatial)?;
    Some(BoundQuery { filter: Some(filter), ..query.clone() })
}

/// The expression with its constant calls replaced; `None` if there are none.
fn fold(expression: &Expression, geospatial: GeospatialConfig) -> Option<Expression> {
    match expression {
        Expression::Call { function, arguments } => call(function, arguments, geospatial),
        Expression::Unary { operator, operand } => {
            let operand = Box::new(fold(operand, geospatial)?);
            Some(Expression::Unary { operator: *operator, operand })
        }
        Expression::Chain { first, rest } => {
            // Found out before anything is cloned: each level would clone all those below it.
            let folded: Vec<Option<Expression>> = std::iter::once(&**first)
                .chain(rest.iter().map(|(_, operand)| operand))
                .map(|part| fold(part, geospatial))
                .collect();
            if folded.iter().all(Option::is_none) {
                return None;
            }
            let mut folded = folded.into_iter();
            let mut part =
                |part: &Expression| folded.next().flatten().unwrap_or_else(|| part.clone());
            let first = Box::new(part(first));
            let rest = rest.iter().map(|(operator, operand)| (*operator, part(operand))).collect();
            Some(Expression::Chain { first, rest })
        }
        _ => None,
    }
}

fn call(name: &str, arguments: &[Expression], geospatial: GeospatialConfig) -> Option<Expression> {
    let function = lookup(name)?;
    let FunctionBody::Scalar(evaluate) = function.body else { return None };
    // RAND is the only one of these families that depends on more than its arguments.
    let is_pure = matches!(
        function.family,
        FunctionFamily::Spatial | FunctionFamily::Mathematical | FunctionFamily::TypeCheck
    ) && !function.required.is_empty();
    let is_small =
        matches!(function.returns, ReturnKind::Boolean | ReturnKind::Number | ReturnKind::Integer);
    if !is_pure || !is_small {
        return None;
    }
    let arguments: Option<Vec<Value>> = arguments.iter().map(constant).collect();
    let epoch = UtcDateTime::from_milliseconds(0)?;
    // A call that takes long is left to the query, which has a budget of its own and can be interrupted.
    let governor: Arc<dyn WorkGovernor> = Arc::new(EachWorkLimit { units_max: FOLDED_UNITS_MAX });
    let budget = EvaluationBudget::new(FOLDED_BYTES_MAX, &governor);
    let result = evaluate(
        &arguments?,
        &CallContext {
            now: epoch,
            query_start: epoch,
            random: &|| 0.0,
            geospatial,
            vector_embeddings: &VectorEmbeddingPolicy::default(),
            full_text: &FullTextPolicy::default(),
            argument_paths: &[],
            patterns: &PatternCache::new(),
            budget: &budget,
        },
    );
    budget.take_refusal().ok()?;
    let literal = match result {
        Value::Undefined => Literal::Undefined,
        Value::Bool(value) => Literal::Bool(value),
        Value::Integer(value) => Literal::Integer(value),
        Value::Double(value) => Literal::Double(value),
        _ => return None,
    };
    Some(Expression::Literal(literal))
}
