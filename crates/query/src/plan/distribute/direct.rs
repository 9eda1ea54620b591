//! What the gateway answers without a client's help.
//!
//! Owns the rule that a query over several logical partitions is only answered when its rows can simply follow each
//! other; the rest is refused, with the plan for clients that know what to do with it.

use super::distributed::{DistributedQuery, QueryBody};
use super::info::DistinctKind;
use crate::error::QueryError;

/// The words of the refusal that comes with the plan.
pub const NOT_SERVED_DIRECTLY: &str = concat!(
    "The provided cross partition query can not be directly served by the gateway. ",
    "This is a first chance (internal) exception that all newer clients will know how to handle gracefully. ",
    "This exception is traced, but unless you see it bubble up as an exception (which only happens on older SDK ",
    "clients), then you can safely ignore this message."
);

/// What happens to a query that came without a partition key and without a range.
#[derive(Clone, Debug, PartialEq)]
pub enum DirectService {
    /// It is answered.
    Served,
    /// It is refused with the plan.
    NeedsPlan,
    /// It is refused without one.
    Refused(QueryError),
}

/// What happens to a query that came without a partition key and without a range.
#[must_use]
pub fn direct_service(query: &DistributedQuery) -> DirectService {
    if query.is_single_key {
        return DirectService::Served;
    }
    let info = match &query.body {
        QueryBody::Hybrid(_) => return DirectService::NeedsPlan,
        QueryBody::Query(info) => info,
    };
    if !info.group_by_expressions.is_empty() || !info.aliased_aggregates.is_empty() {
        return DirectService::Refused(QueryError::refusal(
            "Cross partition query only supports 'VALUE <AggregateFunc>' for aggregates.",
        ));
    }
    let is_counted = info.top.is_some() || info.offset.is_some() || info.limit.is_some();
    let is_joined = !info.order_by.is_empty()
        || !info.aggregates.is_empty()
        || info.distinct != DistinctKind::None;
    if is_counted || is_joined { DirectService::NeedsPlan } else { DirectService::Served }
}
