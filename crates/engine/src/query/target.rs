//! The parts of a container that a query reads.
//!
//! Target ranges are what the feed range and the filter leave of the partition keys. A partition slice is the part
//! of a target range that lies in one physical partition. Both are sorted by epk and disjoint.

use std::sync::Arc;

use ::query::plan::{PartitionFilter, partition_filter_with_condition};
use model::{EpkRange, FeedRange, PartitionKey};
use storage::{KeyRange, Shard};

use super::planned::AnalyzedQuery;
use crate::catalog::ContainerEntry;
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::{LogicalPartition, TermHit, epk_key_range};
use crate::partition::{PartitionMap, PhysicalPartition};

/// Up to this many logical partitions are read one by one; more are read as the range that spans them.
const TARGETS_MAX: usize = 64;

/// An epk range, or one logical partition.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TargetRange {
    pub(super) range: EpkRange,
    pub(super) logical: Option<LogicalPartition>,
    /// The partition key of the logical partition.
    pub(super) key: Option<Arc<PartitionKey>>,
}

/// The part of a target range that lies in one physical partition.
#[derive(Clone, Debug)]
pub(super) struct PartitionSlice {
    pub(super) partition: Arc<PhysicalPartition>,
    pub(super) range: EpkRange,
    pub(super) logical: Option<LogicalPartition>,
    /// The partition key of the logical partition.
    pub(super) key: Option<Arc<PartitionKey>>,
}

impl PartitionSlice {
    pub(super) fn shard(&self) -> Shard {
        self.partition.identity.shard
    }

    /// The storage keys of its items.
    pub(super) fn item_keys(&self) -> KeyRange {
        match &self.logical {
            Some(logical) => KeyRange::prefix(logical.as_bytes()),
            None => epk_key_range(&self.range),
        }
    }

    /// Drops terms of items outside the slice: terms across a partition are not ordered by epk.
    pub(super) fn retain_own(&self, hits: &mut Vec<TermHit>) {
        // Local terms contain the logical partition, and a whole partition holds nothing else.
        if self.logical.is_none() && !self.is_whole_partition() {
            let keys = self.item_keys();
            hits.retain(|hit| keys.contains(&hit.key));
        }
    }

    /// Whether the slice covers everything its physical partition holds, so that no term needs a range check.
    pub(super) fn is_whole_partition(&self) -> bool {
        let owned = &self.partition.range;
        self.logical.is_none() && self.range.min <= owned.min && owned.max <= self.range.max
    }
}

/// Rejects a partition key with more components than the container has paths, which would silently match nothing.
pub(super) fn check_feed_range(container: &ContainerEntry, feed_range: &FeedRange) -> Result<()> {
    let levels = container.identity.definition.levels();
    match feed_range {
        FeedRange::PartitionKey(key) if key.components().len() > levels => Err(Error::new(
            ErrorKind::PartitionKeyMismatch,
            format!(
                "The partition key {key} has more components than the container has paths ({levels})."
            ),
        )),
        _ => Ok(()),
    }
}

/// What a feed range and a filter leave of a container: sorted, disjoint ranges.
pub(super) fn target_ranges(
    container: &ContainerEntry,
    feed_range: &FeedRange,
    query: &AnalyzedQuery,
) -> (PartitionFilter, Vec<TargetRange>) {
    let definition = &container.identity.definition;
    let requested = target_of_feed_range(container, feed_range);
    let filter = partition_filter_with_condition(&query.bound, &query.condition, definition);
    let keys = match &filter {
        // A query that reads no items has no keys either.
        PartitionFilter::All => return (filter, vec![requested]),
        PartitionFilter::Keys(keys) => keys,
    };
    // Ranges can overlap, because two keys can have the same epk.
    let by_key = keys.iter().map(|key| target_of_key(container, key));
    let mut targets: Vec<TargetRange> =
        by_key.filter_map(|target| intersect(&requested, &target)).collect();
    targets.sort_by(|left, right| left.range.cmp(&right.range));
    (filter, merge_overlapping(targets))
}

fn target_of_feed_range(container: &ContainerEntry, feed_range: &FeedRange) -> TargetRange {
    match feed_range {
        FeedRange::PartitionKey(key) => target_of_key(container, key),
        other => TargetRange {
            range: other.epk_range(&container.identity.definition),
            logical: None,
            key: None,
        },
    }
}

fn target_of_key(container: &ContainerEntry, key: &PartitionKey) -> TargetRange {
    let definition = &container.identity.definition;
    let is_full = key.components().len() == definition.levels();
    let range = definition.effective_range(key);
    let logical = is_full.then(|| LogicalPartition::new(&range.min, key));
    TargetRange { range, logical, key: is_full.then(|| Arc::new(key.clone())) }
}

/// The intersection of two targets.
fn intersect(left: &TargetRange, right: &TargetRange) -> Option<TargetRange> {
    let range = left.range.intersect(&right.range)?;
    let logical = match (&left.logical, &right.logical) {
        // The request names one key and the filter another: nothing can match.
        (Some(left), Some(right)) if left != right => return None,
        (left, right) => left.clone().or_else(|| right.clone()),
    };
    let key = left.key.clone().or_else(|| right.key.clone());
    Some(TargetRange { range, logical, key })
}

/// Merges overlapping targets, and all of them if there are too many. Reading more than the filter needs is safe,
/// because the filter is evaluated for every item anyway.
fn merge_overlapping(targets: Vec<TargetRange>) -> Vec<TargetRange> {
    let too_many = targets.len() > TARGETS_MAX;
    let mut merged: Vec<TargetRange> = Vec::new();
    for target in targets {
        match merged.last_mut() {
            Some(last) if too_many || target.range.min < last.range.max => {
                if *last != target {
                    let max = target.range.max.max(last.range.max.clone());
                    let range = EpkRange { min: last.range.min.clone(), max };
                    // A range of several keys has no partition key to rely on; equal targets (the same key twice) keep
                    // theirs.
                    *last = TargetRange { range, logical: None, key: None };
                }
            }
            _ => merged.push(target),
        }
    }
    merged
}

/// Cuts targets at the borders of physical partitions.
pub(super) fn partition_slices(map: &PartitionMap, targets: &[TargetRange]) -> Vec<PartitionSlice> {
    let mut slices = Vec::new();
    for target in targets {
        for partition in map.overlapping(&target.range) {
            if let Some(range) = partition.range.intersect(&target.range) {
                let (logical, key) = (target.logical.clone(), target.key.clone());
                slices.push(PartitionSlice { partition, range, logical, key });
            }
        }
    }
    slices
}
