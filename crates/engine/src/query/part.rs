//! Which part of a container a query reads.
//!
//! Owns the targets (what the feed range and the filter leave of the partition keys) and their pieces (a target
//! inside one physical partition), both in the order of epks. Does not own how a piece is read.

use std::sync::Arc;

use ::query::plan::{PartitionFilter, partition_filter_of};
use model::{EpkRange, FeedRange, PartitionKey};
use storage::{KeyRange, Shard};

use super::prepared::Filtered;
use crate::catalog::Container;
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::{LogicalPartition, epk_key_range};
use crate::partition::{Partition, PartitionMap};

/// Logical partitions that are read one by one; more of them are read as the range they lie in.
const TARGETS_MAX: usize = 64;

/// A part of the epks, or one logical partition.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Target {
    pub(super) range: EpkRange,
    pub(super) logical: Option<LogicalPartition>,
    /// The partition key of the logical partition.
    pub(super) key: Option<Arc<PartitionKey>>,
}

/// A target inside one physical partition.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) partition: Arc<Partition>,
    pub(super) range: EpkRange,
    pub(super) logical: Option<LogicalPartition>,
    /// The partition key of the logical partition.
    pub(super) key: Option<Arc<PartitionKey>>,
}

impl Piece {
    pub(super) fn shard(&self) -> Shard {
        self.partition.identity.shard
    }

    /// The keys of its items.
    pub(super) fn item_keys(&self) -> KeyRange {
        match &self.logical {
            Some(logical) => KeyRange::prefix(logical.as_bytes()),
            None => epk_key_range(&self.range),
        }
    }

    /// Whether the piece is all that its physical partition holds, so that no key need be looked at.
    pub(super) fn is_whole_partition(&self) -> bool {
        let owned = &self.partition.range;
        self.logical.is_none() && self.range.min <= owned.min && owned.max <= self.range.max
    }
}

/// Refuses a partition key with more components than the container has paths: it would find nothing, and say nothing.
pub(super) fn check(container: &Container, feed_range: &FeedRange) -> Result<()> {
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

/// What a feed range and a filter leave, in order and apart from each other.
pub(super) fn targets(
    container: &Container,
    feed_range: &FeedRange,
    query: &Filtered,
) -> (PartitionFilter, Vec<Target>) {
    let definition = &container.identity.definition;
    let fed = of_feed_range(container, feed_range);
    let filter = partition_filter_of(&query.bound, &query.condition, definition);
    let keys = match &filter {
        // A query that reads no items has no keys either.
        PartitionFilter::All => return (filter, vec![fed]),
        PartitionFilter::Keys(keys) => keys,
    };
    let wanted = keys.iter().map(|key| of_key(container, key));
    let mut targets: Vec<Target> = wanted.filter_map(|target| both(&fed, &target)).collect();
    targets.sort_by(|left, right| left.range.cmp(&right.range));
    (filter, apart(targets))
}

fn of_feed_range(container: &Container, feed_range: &FeedRange) -> Target {
    match feed_range {
        FeedRange::PartitionKey(key) => of_key(container, key),
        other => Target {
            range: other.epk_range(&container.identity.definition),
            logical: None,
            key: None,
        },
    }
}

fn of_key(container: &Container, key: &PartitionKey) -> Target {
    let definition = &container.identity.definition;
    let is_full = key.components().len() == definition.levels();
    let range = definition.effective_range(key);
    let logical = is_full.then(|| LogicalPartition::new(&range.min, key));
    Target { range, logical, key: is_full.then(|| Arc::new(key.clone())) }
}

/// What lies in both.
fn both(left: &Target, right: &Target) -> Option<Target> {
    let range = left.range.intersect(&right.range)?;
    let logical = match (&left.logical, &right.logical) {
        (Some(left), Some(right)) if left != right => return None,
        (left, right) => left.clone().or_else(|| right.clone()),
    };
    let key = left.key.clone().or_else(|| right.key.clone());
    Some(Target { range, logical, key })
}

/// Targets that overlap become one, and too many become a few: the filter is asked of each item in any case.
fn apart(targets: Vec<Target>) -> Vec<Target> {
    let too_many = targets.len() > TARGETS_MAX;
    let mut apart: Vec<Target> = Vec::new();
    for target in targets {
        match apart.last_mut() {
            Some(last) if too_many || target.range.min < last.range.max => {
                if *last != target {
                    let max = target.range.max.max(last.range.max.clone());
                    let range = EpkRange { min: last.range.min.clone(), max };
                    *last = Target { range, logical: None, key: None };
                }
            }
            _ => apart.push(target),
        }
    }
    apart
}

/// The pieces of targets in the partitions of a map.
pub(super) fn pieces(map: &PartitionMap, targets: &[Target]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for target in targets {
        for partition in map.overlapping(&target.range) {
            if let Some(range) = partition.range.intersect(&target.range) {
                let (logical, key) = (target.logical.clone(), target.key.clone());
                pieces.push(Piece { partition, range, logical, key });
            }
        }
    }
    pieces
}
