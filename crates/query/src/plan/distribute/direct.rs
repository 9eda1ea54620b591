//! Queries that the gateway serves without a client's help.
//!
//! Owns the rule that a query over several logical partitions is served only if its rows can simply be concatenated.
//! Other queries are rejected with the plan, for clients that can execute it.

use super::distributed::{DistributedQuery, PlanBody};
use super::info::DistinctKind;
use crate::error::QueryError;

/// The message of the rejection that comes with the plan.
pub const NOT_SERVED_DIRECTLY: &str = concat!(
    "The provided cross partition query can not be directly served by the gateway. ",
    "This is a first chance (internal) exception that all newer clients will know how to handle gracefully. ",
    "This exception is traced, but unless you see it bubble up as an exception (which only happens on older SDK ",
    "clients), then you can safely ignore this message."
);

/// How a query without a partition key and without a range is handled.
#[derive(Clone, Debug, PartialEq)]
pub enum DirectService {
    /// It is served.
    Served,
    /// It is rejected with the plan.
    NeedsPlan,
    /// It is rejected without a plan.
    Refused(QueryError),
}

/// Decides how a query without a partition key and without a range is handled.
#[must_use]
pub fn direct_service(query: &DistributedQuery) -> DirectService {
    if query.is_single_key {
        return DirectService::Served;
    }
    let info = match &query.body {
        PlanBody::Hybrid(_) => return DirectService::NeedsPlan,
        PlanBody::Query(info) => info,
    };
    if !info.group_by_expressions.is_empty() || !info.aliased_aggregates.is_empty() {
        return DirectService::Refused(QueryError::refusal(
            "Cross partition query only supports 'VALUE <AggregateFunc>' for aggregates.",
        ));
    }
    // Each partition would apply the count by itself.
    let is_counted = info.top.is_some() || info.offset.is_some() || info.limit.is_some();
    let is_joined = !info.order_by.is_empty()
        || !info.aggregates.is_empty()
        || info.distinct != DistinctKind::None;
    if is_counted || is_joined { DirectService::NeedsPlan } else { DirectService::Served }
}
