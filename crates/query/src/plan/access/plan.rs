//! The access plan of a query.
//!
//! Owns the combination of lookups, order and index-only results, and what remains of a filter that lookups do not
//! cover. Does not own any of the rules.

use super::index_only::{IndexOnly, aggregated_path, index_only};
use super::lookup::{Lookup, is_exact, lookup};
use super::order::{OrderAccess, order};
use super::policy::Indexes;
use crate::bind::{BoundQuery, Expression};
use crate::error::QueryError;
use crate::evaluate::conjuncts;
use crate::plan::condition::{Condition, PathScope, filter_condition, row_condition};

/// How an index serves a query.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessPlan {
    /// How to find the items that can satisfy the filter. With an order from an index, the lookup may be ignored and
    /// the filter be evaluated for each item in order.
    pub lookup: Lookup,
    /// The conjuncts of the filter that must be evaluated for each item found; all of them if the lookup is not used.
    pub remaining: Vec<Expression>,
    /// How rows are ordered.
    pub order: OrderAccess,
    /// What can be computed without reading items.
    pub index_only: Option<IndexOnly>,
}

/// Plans how an index serves a query.
///
/// # Errors
/// If no index provides the order.
pub fn plan_access(query: &BoundQuery, indexes: &Indexes) -> Result<AccessPlan, QueryError> {
    plan_access_with_condition(query, &row_condition(query), indexes)
}

/// Like [`plan_access`], for a query whose row condition is known.
///
/// # Errors
/// If no index provides the order.
pub fn plan_access_with_condition(
    query: &BoundQuery,
    condition: &Condition,
    indexes: &Indexes,
) -> Result<AccessPlan, QueryError> {
    let scope = PathScope::for_query(query);
    let order = order(query, condition, indexes)?;
    let remaining = remaining(query, condition, &scope, indexes);
    let aggregated = aggregated_path(query, &scope);
    let lookup = match condition {
        Condition::Never => Lookup::Nothing,
        condition => lookup(condition, indexes, aggregated.as_deref()),
    };
    let index_only = index_only(query, &scope, indexes, &remaining);
    Ok(AccessPlan { lookup, remaining, order, index_only })
}

/// The conjuncts of the filter that lookups do not cover.
fn remaining(
    query: &BoundQuery,
    condition: &Condition,
    scope: &PathScope,
    indexes: &Indexes,
) -> Vec<Expression> {
    // If the whole condition is exact, so are its parts. `Never` is exact too, but its conjuncts alone need not be.
    if *condition != Condition::Never && is_exact(condition, indexes) {
        return Vec::new();
    }
    let parts = query.filter.as_ref().map(conjuncts).unwrap_or_default();
    let is_left = |part: &Expression| !is_exact(&filter_condition(part, scope), indexes);
    parts.into_iter().filter(is_left).collect()
}
