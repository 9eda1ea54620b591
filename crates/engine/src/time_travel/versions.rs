//! The versions of one item, newest first.
//!
//! Owns following the chain from the current version to the ones before it, each found by its position, so that the
//! cost grows with the versions and not with the partition. A deletion cuts the chain: what was before it is looked for
//! in a bounded part of the versions. Does not own which versions are kept: that is the retention.

use model::{ItemId, Lsn, PartitionKey, TimestampSeconds};
use storage::{Direction, KeyRange, Read, Scan, ScanLimit, Shard};

use crate::engine::Engine;
use crate::error::Result;
use crate::item::{item_key, locate};
use crate::key_layout::{ChangePosition, ITEMS, ItemKey, VERSIONS};
use crate::operation::ContainerLink;
use crate::record::{ItemRecord, Removal, Version, resolve_position};
use crate::response::ItemResource;

/// Entries of other items that are passed over to find what was before a deletion.
const ENTRIES_SEARCHED_MAX: usize = 10_000;
const PAGE_ENTRIES: usize = 1000;

/// Versions of one item.
#[derive(Clone, Debug)]
pub struct ItemVersions {
    /// The versions, newest first.
    pub versions: Vec<ItemVersion>,
    /// Whether there may be older ones that were kept and are not listed.
    pub has_more: bool,
}

/// One version of an item, or its end.
#[derive(Clone, Debug)]
pub struct ItemVersion {
    /// The item; `None` where it was deleted or expired.
    pub item: Option<ItemResource>,
    /// Whether it ended by its time to live and not by a delete; only where there is no item.
    pub is_expiry: bool,
    /// The lsn of the write.
    pub lsn: Lsn,
    /// The second in which it was written.
    pub began: TimestampSeconds,
    /// The second in which the next one followed; `None` for the newest.
    pub ended: Option<TimestampSeconds>,
}

impl Engine {
    /// The versions of an item that are kept, newest first, at most `versions_max`.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use planisphere_engine::{ContainerLink, Engine, operation::*};
    /// # let engine = Engine::in_memory().await?;
    /// # let orders = ContainerLink::new("shop", "orders")?;
    /// # let properties = model::DatabaseProperties { id: orders.database.clone() };
    /// # engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    /// # let key = model::PartitionKeyDefinition::single("/customer")?;
    /// # let properties = model::ContainerProperties::new(orders.container.clone(), key);
    /// # let database = orders.database.clone();
    /// # engine.create_container(CreateContainer { database, properties, throughput: None }).await?;
    /// let key = model::PartitionKey::from("ann");
    /// let kept = engine.item_versions(&orders, &key, &model::ItemId::new("1")?, 20).await?;
    /// assert!(kept.versions.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `OwnerNotFound` when there is no such container, `BadRequest` for a partition key that does not fit it.
    pub async fn item_versions(
        &self,
        link: &ContainerLink,
        partition_key: &PartitionKey,
        id: &ItemId,
        versions_max: usize,
    ) -> Result<ItemVersions> {
        let container = self.container(link)?;
        let key = item_key(&container.identity, partition_key, id)?;
        loop {
            let partition = locate(&container, &key.epk())?;
            let view = self.store().snapshot().await?;
            // After the snapshot: a partition that is not retired now had all its writes in it.
            if partition.published.is_retired() {
                self.wait_for_map_without(&container, &partition).await?;
                continue;
            }
            let mut walk = VersionWalk {
                view: view.as_ref(),
                shard: partition.identity.shard,
                key: &key,
                levels: container.identity.levels(),
                versions_max,
                searched: 0,
                found: ItemVersions { versions: Vec::new(), has_more: false },
            };
            walk.run().await?;
            return Ok(walk.found);
        }
    }
}

/// Collects the versions of one item.
struct VersionWalk<'walk> {
    view: &'walk dyn Read,
    shard: Shard,
    key: &'walk ItemKey,
    levels: usize,
    versions_max: usize,
    searched: usize,
    found: ItemVersions,
}

impl VersionWalk<'_> {
    async fn run(&mut self) -> Result<()> {
        // Where to look for what was before a deletion; at first the newest entry.
        let mut below = KeyRange::all();
        if let Some(stored) = self.view.get(self.shard, ITEMS, self.key.as_bytes()).await? {
            let record = ItemRecord::decode(stored)?;
            let oldest = self.chain(record, None).await?;
            below = before(oldest);
        }
        while !self.is_full() {
            let Some((position, version, ended)) = self.search(below).await? else { break };
            let oldest = match version {
                Version::Removed { removal, previous, .. } => {
                    let lsn = position.lsn;
                    let is_expiry = matches!(removal, Removal::Expired);
                    let end = ItemVersion { item: None, is_expiry, lsn, began: ended, ended: None };
                    self.add(end);
                    let previous = resolve_position(previous, lsn);
                    match self.superseded_at(previous).await? {
                        Some((record, ended)) => self.chain(record, Some(ended)).await?,
                        None => position,
                    }
                }
                Version::Superseded { record, .. } => self.chain(record, Some(ended)).await?,
            };
            below = before(oldest);
        }
        Ok(())
    }

    /// Adds a version and those before it, until a creation. Returns the position of the oldest.
    async fn chain(
        &mut self,
        newest: ItemRecord,
        mut ended: Option<TimestampSeconds>,
    ) -> Result<ChangePosition> {
        let mut record = newest;
        loop {
            let header = record.header;
            let (position, lsn) = (header.position, header.position.lsn);
            let item = Some(ItemResource::from_record(record, lsn));
            let began = header.timestamp;
            self.add(ItemVersion { item, is_expiry: false, lsn, began, ended });
            let previous = resolve_position(header.previous, lsn);
            if previous.lsn == Lsn::ZERO || self.is_full() {
                return Ok(position);
            }
            // Gone if the retention has ended.
            let Some((older, end)) = self.superseded_at(previous).await? else {
                return Ok(position);
            };
            (record, ended) = (older, Some(end));
        }
    }

    async fn superseded_at(
        &self,
        position: ChangePosition,
    ) -> Result<Option<(ItemRecord, TimestampSeconds)>> {
        let stored = self.view.get(self.shard, VERSIONS, &position.key()).await?;
        Ok(match stored.map(|value| Version::decode(value, self.levels)).transpose()? {
            Some((Version::Superseded { record, .. }, ended)) => Some((record, ended)),
            _ => None,
        })
    }

    /// The newest entry of this item in a range.
    async fn search(
        &mut self,
        mut range: KeyRange,
    ) -> Result<Option<(ChangePosition, Version, TimestampSeconds)>> {
        loop {
            let scan = Scan::backward(range.clone(), ScanLimit::entries(PAGE_ENTRIES));
            let page = self.view.scan(self.shard, VERSIONS, &scan).await?;
            let last = page.entries.last().map(|entry| entry.key.clone());
            for entry in page.entries {
                self.searched += 1;
                let (version, ended) = Version::decode(entry.value, self.levels)?;
                if version.key().as_bytes() == self.key.as_bytes()
                    && let Some(position) = ChangePosition::decode(&entry.key)
                {
                    return Ok(Some((position, version, ended)));
                }
            }
            let Some(last) = last.filter(|_| page.more) else { return Ok(None) };
            if self.searched >= ENTRIES_SEARCHED_MAX {
                self.found.has_more = true;
                return Ok(None);
            }
            range = range.after(last, Direction::Backward);
        }
    }

    fn add(&mut self, version: ItemVersion) {
        if self.is_full() {
            self.found.has_more = true;
        } else {
            self.found.versions.push(version);
        }
    }

    fn is_full(&self) -> bool {
        self.found.versions.len() >= self.versions_max
    }
}

/// All positions below one.
fn before(position: ChangePosition) -> KeyRange {
    use std::ops::Bound;
    KeyRange { lower: Bound::Unbounded, upper: Bound::Excluded(position.key()) }
}
