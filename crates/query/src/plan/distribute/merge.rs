//! Merging the rows of partitions.
//!
//! Owns the merge plan of our own engine, derived from the query info that clients get, and the features that a client
//! needs to merge the same way.

use super::distributed::PlanBody;
use super::feature::{Feature, FeatureSet};
use super::info::{AggregateKind, DistinctKind, QueryInfo};
use crate::ast::SortOrder;

/// How rows of partitions become rows of the query: combined, then made distinct, then limited.
#[derive(Clone, Debug, PartialEq)]
pub struct MergePlan {
    /// How they are combined.
    pub combine: Combine,
    /// Whether duplicate rows are removed.
    pub distinct: DistinctKind,
    /// How many rows are skipped.
    pub skip: u32,
    /// How many of the following rows are returned; `None` for all.
    pub take: Option<u32>,
}

/// How rows are combined.
#[derive(Clone, Debug, PartialEq)]
pub enum Combine {
    /// One partition after the other, in the order of their epks.
    Concatenate,
    /// By `orderByItems`.
    Ordered {
        /// The direction of each value.
        directions: Vec<SortOrder>,
        /// Whether the rows of each partition are already sorted.
        is_sorted: bool,
    },
    /// By `groupByItems`. Without keys all rows are one group, which has a row even if there are none.
    Groups {
        /// The number of values of a group key.
        keys: usize,
        /// The output of a group.
        payload: GroupPayload,
    },
    /// By counting distinct rows.
    CountDistinct {
        /// The property that holds the number; `None` if the number itself is the row.
        alias: Option<String>,
    },
    /// By fusing the ranks of several queries.
    Ranked {
        /// How many queries.
        components: usize,
        /// The weight of each; empty if all are equal.
        weights: Vec<f64>,
    },
}

/// The output of a group.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupPayload {
    /// A bare value: an aggregate of `[{"item": ...}]`, or the value of the first row.
    Value(Option<AggregateKind>),
    /// An object; each property an aggregate of `{"item": ...}`, or the value of the first row.
    Columns(Vec<(String, Option<AggregateKind>)>),
}

impl MergePlan {
    /// The merge plan for what partitions run.
    #[must_use]
    pub(super) fn for_body(body: &PlanBody) -> Self {
        match body {
            PlanBody::Query(info) => Self {
                combine: combine(info),
                distinct: match info.distinct_count_alias {
                    // Counting distinct rows removes the duplicates itself.
                    Some(_) => DistinctKind::None,
                    None => info.distinct,
                },
                skip: info.offset.unwrap_or(0),
                take: info.limit.or(info.top),
            },
            PlanBody::Hybrid(info) => Self {
                combine: Combine::Ranked {
                    components: info.components.len(),
                    weights: info.weights.clone(),
                },
                distinct: DistinctKind::None,
                skip: info.skip.unwrap_or(0),
                take: info.take,
            },
        }
    }
}

fn combine(info: &QueryInfo) -> Combine {
    // The info of such a query has no aggregate: partitions return the rows that are to be counted.
    if let Some(alias) = &info.distinct_count_alias {
        return Combine::CountDistinct { alias: (!alias.is_empty()).then(|| alias.clone()) };
    }
    let is_grouped = !info.group_by_expressions.is_empty()
        || !info.aggregates.is_empty()
        || !info.aliased_aggregates.is_empty();
    if is_grouped {
        let payload = if info.has_select_value {
            // A bare value is at most one aggregate; the rewriting refuses an expression of several.
            GroupPayload::Value(info.aggregates.first().copied())
        } else {
            GroupPayload::Columns(info.aliased_aggregates.clone())
        };
        return Combine::Groups { keys: info.group_by_expressions.len(), payload };
    }
    if info.order_by.is_empty() {
        return Combine::Concatenate;
    }
    let is_sorted = !info.has_non_streaming_order_by;
    Combine::Ordered { directions: info.order_by.clone(), is_sorted }
}

impl PlanBody {
    /// The features that a client needs.
    pub(super) fn needed(&self) -> FeatureSet {
        match self {
            Self::Query(info) => needed(info),
            Self::Hybrid(info) => {
                let mut needed = FeatureSet::from_iter([Feature::HybridSearch]);
                if !info.weights.is_empty() {
                    needed.insert(Feature::WeightedRankFusion);
                }
                needed
            }
        }
    }
}

fn needed(info: &QueryInfo) -> FeatureSet {
    // Properties without an aggregate are in the list, too, because a client needs the whole shape of the row.
    let aliased = || info.aliased_aggregates.iter().filter_map(|(_, kind)| *kind);
    let aggregates: Vec<AggregateKind> = info.aggregates.iter().copied().chain(aliased()).collect();
    let has = |kinds: &[AggregateKind]| aggregates.iter().any(|kind| kinds.contains(kind));
    let is_counting_distinct = info.distinct_count_alias.is_some();
    let pairs = [
        (Feature::Aggregate, !aggregates.is_empty()),
        (Feature::CompositeAggregate, has(&[AggregateKind::Average])),
        (Feature::Distinct, info.distinct != DistinctKind::None && !is_counting_distinct),
        (Feature::GroupBy, !info.group_by_expressions.is_empty()),
        (Feature::MultipleAggregates, aggregates.len() > 1),
        (Feature::MultipleOrderBy, info.order_by.len() > 1),
        (Feature::OffsetAndLimit, info.offset.is_some() || info.limit.is_some()),
        (Feature::OrderBy, !info.order_by.is_empty()),
        (Feature::Top, info.top.is_some()),
        (Feature::NonValueAggregate, aliased().next().is_some()),
        (Feature::DCount, is_counting_distinct),
        (Feature::NonStreamingOrderBy, info.has_non_streaming_order_by),
        (Feature::ListAndSetAggregate, has(&[AggregateKind::MakeList, AggregateKind::MakeSet])),
        (Feature::CountIf, has(&[AggregateKind::CountIf])),
    ];
    pairs.into_iter().filter(|(_, is_needed)| *is_needed).map(|(feature, _)| feature).collect()
}
