//! Analyzed and planned queries.
//!
//! An analyzed query is bound to a container; its filter is available as conditions on paths. A planned query adds the
//! access plan for the indexes of the partitions that a request reads.

use std::sync::Arc;

use ::query::BoundQuery;
use ::query::bind::BoundOrderBy;
use ::query::plan::access::{AccessPlan, Indexes, plan_access_with_condition};
use ::query::plan::condition::{Condition, ItemPath, row_condition};
use ::query::plan::metrics::{IndexMetrics, index_metrics_with_condition};
use ::query::plan::needed_paths;
use model::{FeedRange, IndexingMode, IndexingPolicy};
use storage::{Read, Shard, StorageValue};

use super::error::bad_query;
use super::target::PartitionSlice;
use crate::container::CompiledProperties;
use crate::error::Result;
use crate::key_layout::{STATE, STATE_KEY};
use crate::partition::PartitionState;
use crate::response::Usage;

/// A bound query with the condition of its filters, from which all parts of its plan are derived.
pub(super) struct AnalyzedQuery {
    pub(super) bound: BoundQuery,
    pub(super) condition: Condition,
}

impl AnalyzedQuery {
    pub(super) fn new(bound: BoundQuery) -> Self {
        let condition = row_condition(&bound);
        Self { bound, condition }
    }
}

/// A query with its access plan.
pub(super) struct PlannedQuery {
    pub(super) query: Arc<AnalyzedQuery>,
    pub(super) indexes: Arc<Indexes>,
    pub(super) access: AccessPlan,
    /// The paths whose values the query uses; `None` if they cannot be determined.
    pub(super) needed: Option<Vec<ItemPath>>,
}

impl PlannedQuery {
    pub(super) fn new(query: Arc<AnalyzedQuery>, indexes: Arc<Indexes>) -> Result<Self> {
        let AnalyzedQuery { bound, condition } = query.as_ref();
        let access = plan_access_with_condition(bound, condition, &indexes);
        let access = access.map_err(|error| bad_query(vec![error]))?;
        let needed = needed_paths(bound);
        Ok(Self { query, indexes, access, needed })
    }

    pub(super) fn bound(&self) -> &BoundQuery {
        &self.query.bound
    }

    /// Whether the query reads all items, without a condition that an index could answer.
    pub(super) fn is_open_ended(&self, feed_range: &FeedRange) -> bool {
        let bound = self.bound();
        let is_everything = bound.filter.is_none() && bound.order_by == BoundOrderBy::None;
        is_everything && !bound.output.distinct && !matches!(feed_range, FeedRange::PartitionKey(_))
    }

    /// Which indexes the query uses or would need.
    pub(super) fn index_metrics(&self) -> IndexMetrics {
        index_metrics_with_condition(&self.query.bound, &self.query.condition, &self.indexes)
    }
}

/// The indexes and states of the physical partitions that a query reads.
pub(super) struct PartitionIndexes {
    pub(super) indexes: Arc<Indexes>,
    /// The encoded states of the partitions.
    pub(super) states: Vec<(Shard, StorageValue)>,
    /// Partitions whose items are not listed in the order of creation yet.
    pub(super) unlisted: Vec<Shard>,
    /// Item count and size of the partitions, for the charge.
    pub(super) sizes: Vec<(Shard, Usage)>,
}

/// Reads the states of the physical partitions and determines the indexes that contain all of their items. During a
/// rebuild these are only the indexes that the old and the new policy have in common.
pub(super) async fn common_indexes(
    snapshot: &dyn Read,
    compiled: &CompiledProperties,
    slices: &[PartitionSlice],
) -> Result<PartitionIndexes> {
    let newest = compiled.policy(compiled.generation).map(|policy| Arc::clone(&policy.indexes));
    let mut indexes =
        newest.unwrap_or_else(|| Arc::new(Indexes::new(&compiled.properties.indexing_policy)));
    let mut states = Vec::with_capacity(slices.len());
    let mut sizes = Vec::with_capacity(slices.len());
    let mut unlisted = Vec::new();
    let mut generations = vec![compiled.generation];
    let mut shards: Vec<Shard> = slices.iter().map(PartitionSlice::shard).collect();
    // Sorted so that equal shards are adjacent; the order in which states are read does not matter.
    shards.sort_unstable();
    shards.dedup();
    for shard in shards {
        // A partition without a state was never written to.
        let Some(stored) = snapshot.get(shard, STATE, STATE_KEY).await? else { continue };
        // From the snapshot, not from the published counters: terms and state must be of the same moment.
        let state = PartitionState::decode(&stored)?;
        states.push((shard, stored));
        if state.unlisted_after.is_some() {
            unlisted.push(shard);
        }
        sizes.push((shard, Usage { items: state.items, item_bytes: state.item_bytes }));
        let rebuilt = state.rebuild.map(|rebuild| rebuild.generation);
        for generation in rebuilt.into_iter().chain([state.index_generation]) {
            if !generations.contains(&generation) {
                generations.push(generation);
                // The partition left this policy after the snapshot was taken, and the container has dropped it.
                // Nothing is known about its indexes, so use none.
                let policy = compiled.policy(generation).map(|policy| &policy.policy);
                let none = IndexingPolicy { mode: IndexingMode::None, ..IndexingPolicy::default() };
                indexes = Arc::new(indexes.as_ref().clone().and(policy.unwrap_or(&none)));
            }
        }
    }
    Ok(PartitionIndexes { indexes, states, unlisted, sizes })
}
