//! Splitting a query.
//!
//! Owns the choice between the kinds of rewriting, and the resulting query plan document.

use model::{GeospatialConfig, Json, Object, PartitionKeyDefinition, VectorEmbeddingPolicy};

use super::feature::FeatureSet;
use super::hybrid::{self, HybridInfo};
use super::info::QueryInfo;
use super::{aggregate, distinct_count, order_by, plain};
use crate::ast::QueryTree;
use crate::bind::{BoundOrderBy, BoundQuery, Grouping};
use crate::error::QueryError;
use crate::evaluate::fold_calls;
use crate::plan::partitions::{PartitionFilter, QueryRange, partition_filter};

/// What a plan depends on apart from the query.
#[derive(Clone, Copy, Debug)]
pub struct PlanContext<'plan> {
    /// How the items of the container are partitioned.
    pub partition_key: &'plan PartitionKeyDefinition,
    /// The container's vector policy.
    pub vectors: Option<&'plan VectorEmbeddingPolicy>,
    /// Whether coordinates are on the earth or on a plane.
    pub geospatial: GeospatialConfig,
    /// The features that the client supports.
    pub features: FeatureSet,
}

/// A query split over partitions.
#[derive(Clone, Debug, PartialEq)]
pub struct DistributedQuery {
    /// What each partition runs and how clients merge the results.
    pub body: PlanBody,
    /// The partition keys that can match.
    pub partitions: PartitionFilter,
    /// The same as ranges of epks.
    pub ranges: Vec<QueryRange>,
    /// The features that the client needs.
    pub needed: FeatureSet,
    /// Whether only one logical partition matches.
    pub is_single_key: bool,
}

/// What each partition runs.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanBody {
    /// One query.
    Query(QueryInfo),
    /// Several queries whose ranks are fused.
    Hybrid(HybridInfo),
}

/// Splits a query.
///
/// # Errors
/// If the query cannot be split, or if the client lacks a feature that the split needs.
pub fn distribute(
    tree: &QueryTree,
    bound: &BoundQuery,
    context: &PlanContext<'_>,
) -> Result<DistributedQuery, QueryError> {
    let partitions = match fold_calls(bound, context.geospatial) {
        Some(folded) => partition_filter(&folded, context.partition_key),
        None => partition_filter(bound, context.partition_key),
    };
    let is_single_key = partitions.is_single_key(context.partition_key);
    let ranges = partitions.ranges(context.partition_key);
    let body = if matches!(bound.order_by, BoundOrderBy::Rank(_)) {
        check_ranked(tree, bound)?;
        PlanBody::Hybrid(hybrid::hybrid(tree, bound, context))
    } else {
        PlanBody::Query(info(tree, bound, context, is_single_key)?)
    };
    // Computed from the rewritten query: what the client must do follows from what partitions return.
    let needed = body.needed();
    context.features.check(needed)?;
    Ok(DistributedQuery { body, partitions, ranges, needed, is_single_key })
}

/// Only items are ranked, neither groups nor distinct rows. The wording is ours: the service's was never recorded.
fn check_ranked(tree: &QueryTree, bound: &BoundQuery) -> Result<(), QueryError> {
    if bound.grouping == Grouping::None && !tree.select.distinct {
        return Ok(());
    }
    Err(QueryError::refusal(
        "The ORDER BY RANK clause is not supported with DISTINCT, GROUP BY or aggregate functions.",
    ))
}

fn info(
    tree: &QueryTree,
    bound: &BoundQuery,
    context: &PlanContext<'_>,
    is_single_key: bool,
) -> Result<QueryInfo, QueryError> {
    // First: a count of distinct rows is an aggregate as well, which the next branch would take.
    if let Some(info) = distinct_count::info(tree, bound) {
        return Ok(info);
    }
    // Without FROM there is at most one row, and the one partition that runs the query removes duplicates and counts
    // by itself: nothing is left for the client.
    if bound.sources.is_empty() && bound.grouping == Grouping::None {
        return Ok(QueryInfo::plain(plain::has_select_value(tree)));
    }
    if bound.grouping != Grouping::None {
        return aggregate::info(tree, bound);
    }
    if matches!(bound.order_by, BoundOrderBy::Keys(_)) {
        return Ok(order_by::info(tree, bound, context.vectors));
    }
    Ok(plain::info(tree, bound, is_single_key))
}

impl DistributedQuery {
    /// The query plan document.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut document = Object::new();
        document.insert("partitionedQueryExecutionInfoVersion", 2);
        let (query, hybrid) = match &self.body {
            PlanBody::Query(info) => (info.to_json(), Json::Null),
            PlanBody::Hybrid(info) => (Json::Null, info.to_json()),
        };
        document.insert("queryInfo", query);
        let ranges = self.ranges.iter().map(range_json).collect::<Vec<_>>();
        document.insert("queryRanges", ranges);
        document.insert("hybridSearchQueryInfo", hybrid);
        Json::Object(document)
    }
}

fn range_json(range: &QueryRange) -> Json {
    let mut members = Object::new();
    members.insert("min", range.min.to_string());
    members.insert("max", range.max.to_string());
    members.insert("isMinInclusive", true);
    members.insert("isMaxInclusive", range.is_max_inclusive);
    Json::Object(members)
}
