//! The features that a client needs to run a plan.

use super::distributed::PlanBody;
use super::feature::{Feature, FeatureSet};
use super::info::{AggregateKind, DistinctKind, QueryInfo};

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
