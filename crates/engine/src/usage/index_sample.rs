//! What each indexed path costs: entries, stored bytes and request units of writes, from a sample of the items.
//!
//! Owns the sample and its sums, for the policy of the container and for one that is not applied yet. Reads a bounded
//! number of items, whatever the container holds; who shows the result multiplies by the number of items.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::charge::index_costs;
use model::{IndexPath, IndexingPolicy, Json, PathEnding, RequestCharge};
use storage::{KeyRange, Scan, ScanLimit};

use crate::catalog::ContainerEntry;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::index::{CompiledPolicy, path_segments, terms_of};
use crate::key_layout::{ITEMS, ItemKey, TermSubject, term_subject};
use crate::operation::ContainerLink;
use crate::record::ItemRecord;
use crate::response::ItemResource;

/// Items of a sample, over all physical partitions.
const ITEMS_SAMPLED_MAX: usize = 500;
/// How the terms are called that say which paths an item has.
const SHAPES: &str = "(shapes)";

/// What the indexes of a container cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexSample {
    /// Items in the container.
    pub items: u64,
    /// Items in the sample.
    pub sampled: u64,
    /// One entry per path, or per composite index with its paths joined by commas; the largest first.
    pub paths: Vec<IndexPathCost>,
}

/// What the sampled items have at one path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexPathCost {
    /// The path as an indexing policy writes it.
    pub path: String,
    /// Stored index entries.
    pub entries: u64,
    /// Their bytes, keys and values, before compression.
    pub bytes: u64,
    /// What writing all sampled items pays for the path.
    pub charge: RequestCharge,
}

#[derive(Default)]
struct PathSums {
    entries: u64,
    bytes: u64,
    units: u64,
}

impl Engine {
    /// Samples what the indexes of a container cost, under its own policy or under another one.
    ///
    /// # Errors
    /// `OwnerNotFound` when there is no such container.
    pub async fn sample_index(
        &self,
        link: &ContainerLink,
        policy: Option<&IndexingPolicy>,
    ) -> Result<IndexSample> {
        let container = self.container(link)?;
        let compiled = container.compiled();
        let policy = policy.unwrap_or(&compiled.properties.indexing_policy);
        let policy = CompiledPolicy::new(policy);
        let mut sums: BTreeMap<String, PathSums> = BTreeMap::new();
        let mut sampled = 0;
        for (key, record) in self.sampled_items(&container).await? {
            let ordinal = record.header.position.ordinal;
            let lsn = record.header.position.lsn;
            let json = ItemResource::from_record(record, lsn).to_json();
            add_item(&mut sums, &policy, &key, ordinal, &json);
            sampled += 1;
        }
        let map = container.map();
        let items = map.partitions.iter().map(|partition| partition.published.usage().items).sum();
        let mut paths: Vec<_> = sums.into_iter().map(path_cost).collect();
        paths.sort_by(|left, right| right.bytes.cmp(&left.bytes).then(left.path.cmp(&right.path)));
        Ok(IndexSample { items, sampled, paths })
    }

    /// The first items of every partition. Keys begin with a hash, so that these are no particular ones.
    async fn sampled_items(
        &self,
        container: &Arc<ContainerEntry>,
    ) -> Result<Vec<(ItemKey, ItemRecord)>> {
        loop {
            let map = container.map();
            let each = (ITEMS_SAMPLED_MAX / map.partitions.len().max(1)).max(1);
            let mut found = Vec::new();
            for partition in &map.partitions {
                let scan = Scan::forward(KeyRange::all(), ScanLimit::entries(each));
                let page = self.store().scan(partition.identity.shard, ITEMS, &scan).await?;
                for entry in page.entries {
                    let key = ItemKey::decode(entry.key, container.identity.levels());
                    let key = key.ok_or_else(|| Error::corrupt("a stored item key is damaged"))?;
                    found.push((key, ItemRecord::decode(entry.value)?));
                }
            }
            let mut partitions = map.partitions.iter();
            // After the scans: the items of a partition that is not retired now were all there.
            match partitions.find(|partition| partition.published.is_retired()) {
                Some(retired) => self.wait_for_map_without(container, retired).await?,
                None => return Ok(found),
            }
        }
    }
}

fn add_item(
    sums: &mut BTreeMap<String, PathSums>,
    policy: &CompiledPolicy,
    key: &ItemKey,
    ordinal: u64,
    json: &Json,
) {
    let partition_bytes = key.view().partition_bytes();
    for (term, value) in &terms_of(policy, key, ordinal, json).entries {
        let path = match term_subject(term, partition_bytes) {
            Some(TermSubject::Path(path)) => scalar_path(path),
            Some(TermSubject::Composite(number)) => composite_path(policy, number),
            Some(TermSubject::Shape) | None => SHAPES.to_owned(),
        };
        let sum = sums.entry(path).or_default();
        sum.entries += 1;
        sum.bytes += (term.len() + value.len()) as u64;
    }
    for cost in index_costs(&policy.policy, json) {
        sums.entry(cost.path).or_default().units += cost.units;
    }
}

fn scalar_path(path: &[u8]) -> String {
    IndexPath::new(path_segments(path), PathEnding::Scalar).to_string()
}

fn composite_path(policy: &CompiledPolicy, number: u64) -> String {
    let mut all = policy.policy.composite.iter().zip(&policy.composites);
    let found = all.find(|(_, compiled)| compiled.number == number);
    let paths = found.map(|(composite, _)| composite.paths.iter());
    let paths = paths.into_iter().flatten().map(|part| part.path.to_string());
    paths.collect::<Vec<_>>().join(",")
}

fn path_cost((path, sums): (String, PathSums)) -> IndexPathCost {
    let charge = RequestCharge::from_units(sums.units);
    IndexPathCost { path, entries: sums.entries, bytes: sums.bytes, charge }
}
