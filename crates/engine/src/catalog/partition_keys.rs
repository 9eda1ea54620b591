//! Lists the partition keys that a physical partition holds.
//!
//! Owns jumping from one partition key to the next, so that the cost grows with the keys that are listed and not with
//! their items.

use std::ops::Bound;

use model::PartitionKey;
use storage::{KeyRange, Scan, ScanLimit};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::key_layout::{ITEMS, ItemKey};
use crate::operation::ContainerLink;
use crate::partition::retired_error;
use crate::response::PartitionKeysResource;

impl Engine {
    /// The first partition keys of a physical partition in the order of their ranges, at most `keys_max`. Keys whose
    /// items have all expired may be among them until they are removed.
    ///
    /// # Errors
    /// `OwnerNotFound` when there is no such container, `PartitionGone` when there is no such partition.
    pub async fn list_partition_keys(
        &self,
        link: &ContainerLink,
        partition: u32,
        keys_max: usize,
    ) -> Result<PartitionKeysResource> {
        let container = self.container(link)?;
        let map = container.map();
        let found = map.by_number(partition).ok_or_else(|| retired_error(partition))?;
        let shard = found.identity.shard;
        let levels = container.identity.levels();
        let view = self.store().snapshot().await?;
        let mut keys: Vec<PartitionKey> = Vec::new();
        let mut range = KeyRange::all();
        loop {
            let scan = Scan::forward(range, ScanLimit::entries(1));
            let page = view.scan(shard, ITEMS, &scan).await?;
            let Some(entry) = page.entries.into_iter().next() else {
                return Ok(PartitionKeysResource { keys, has_more: false });
            };
            if keys.len() >= keys_max {
                return Ok(PartitionKeysResource { keys, has_more: true });
            }
            let key = ItemKey::decode(entry.key, levels)
                .ok_or_else(|| Error::corrupt("a stored item key is damaged"))?;
            keys.push(key.partition_key());
            // The upper bound of the prefix is the first key that another partition key can have.
            range = match KeyRange::prefix(key.partition_ref().as_bytes()).upper {
                Bound::Excluded(next) => {
                    KeyRange { lower: Bound::Included(next), upper: Bound::Unbounded }
                }
                _ => return Ok(PartitionKeysResource { keys, has_more: false }),
            };
        }
    }
}
