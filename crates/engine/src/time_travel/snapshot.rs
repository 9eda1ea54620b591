//! Time travel: the items of a container at a second of the past, within the retention of its versions.
//!
//! Owns the filter over change log and versions that returns exactly the items that existed then. Reads one snapshot of
//! the store, page by page, and changes nothing. Does not own a restore in place: that would be this scan and ordinary
//! writes.

use std::sync::Arc;

use model::TimestampSeconds;
use storage::{Direction, Entry, KeyRange, Read, Scan, ScanLimit, Shard, Space};

use crate::catalog::ContainerEntry;
use crate::container::CompiledProperties;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::{CHANGE_LOG, STATE, STATE_KEY, VERSIONS};
use crate::operation::ContainerLink;
use crate::partition::PartitionState;
use crate::record::{ItemRecord, LogEntry, Version};
use crate::response::ItemResource;

/// Entries per page.
const PAGE_ENTRIES: usize = 1000;

/// An iterator over the items of a container as they were at a second of the past.
pub struct SnapshotAt {
    view: Arc<dyn Read>,
    container: Arc<ContainerEntry>,
    compiled: Arc<CompiledProperties>,
    time: TimestampSeconds,
    /// What is still to be scanned; the next part is the last.
    parts: Vec<(Shard, Space, KeyRange)>,
}

impl Engine {
    /// The items of a container at the end of the second `time`, in no particular order.
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
    /// use planisphere_engine::{Clock as _, SystemClock};
    ///
    /// let mut snapshot = engine.snapshot_at(&orders, SystemClock.now().seconds()).await?;
    /// while let Some(items) = snapshot.next().await? {
    ///     println!("{} items", items.len());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Invalid` when `time` lies before the retention of the container's versions, in the future, or before a second
    /// at which versions were lost that a longer retention would have kept; the text names the first complete second.
    pub async fn snapshot_at(
        &self,
        link: &ContainerLink,
        time: TimestampSeconds,
    ) -> Result<SnapshotAt> {
        let container = self.container(link)?;
        loop {
            let map = container.map();
            // Before the check for retirement: a partition that is not retired now had all its writes in this
            // snapshot.
            let view = self.store().snapshot().await?;
            let mut partitions = map.partitions.iter();
            if let Some(retired) = partitions.find(|partition| partition.published.is_retired()) {
                self.wait_for_map_without(&container, retired).await?;
                continue;
            }
            let compiled = container.compiled();
            check_time(time, self.now().seconds(), compiled.retention_seconds)?;
            let shards: Vec<_> = map.partitions.iter().map(|part| part.identity.shard).collect();
            // From the same snapshot as the items: trimming that happens later does not concern it.
            check_complete(view.as_ref(), &shards, time).await?;
            let part =
                |shard| [(shard, VERSIONS, KeyRange::all()), (shard, CHANGE_LOG, KeyRange::all())];
            // Parts are taken from the end, hence the reversed order.
            let parts = shards.into_iter().rev().flat_map(part).collect();
            return Ok(SnapshotAt { view, container, compiled, time, parts });
        }
    }
}

impl SnapshotAt {
    /// The next items; none at the end. A page may be empty before the end.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when the store cannot be read.
    pub async fn next(&mut self) -> Result<Option<Vec<ItemResource>>> {
        let Some((shard, space, range)) = self.parts.pop() else { return Ok(None) };
        let scan = Scan::forward(range.clone(), ScanLimit::entries(PAGE_ENTRIES));
        let page = self.view.scan(shard, space, &scan).await?;
        if let Some(last) = page.entries.last().filter(|_| page.more) {
            // The rest of this part comes next, before any other.
            self.parts.push((shard, space, range.after(last.key.clone(), Direction::Forward)));
        }
        let mut items = Vec::new();
        for entry in page.entries {
            items.extend(self.item_at_time(space, entry)?);
        }
        Ok(Some(items))
    }

    fn item_at_time(&self, space: Space, entry: Entry) -> Result<Option<ItemResource>> {
        let levels = self.container.identity.levels();
        let (record, ended) = if space == CHANGE_LOG {
            (LogEntry::decode(entry.value, levels)?.1, None)
        } else {
            match Version::decode(entry.value, levels)? {
                (Version::Superseded { record, .. }, ended) => (record, Some(ended)),
                // A deletion is no state; the state that it ended has its own entry.
                (Version::Removed { .. }, _) => return Ok(None),
            }
        };
        let lsn = record.header.position.lsn;
        Ok(self.existed(&record, ended).then(|| ItemResource::from_record(record, lsn)))
    }

    /// Whether a version was the current one at that time: written by then, not superseded by then, not expired by
    /// then.
    fn existed(&self, record: &ItemRecord, ended: Option<TimestampSeconds>) -> bool {
        record.header.timestamp <= self.time
            // A version that ended within the second was not the last one of it: the state at the end of the second is
            // asked for.
            && ended.is_none_or(|ended| ended > self.time)
            && !self.compiled.is_expired(&record.header, self.time.start())
    }
}

/// Refuses a second at which an item may be missing, because the retention was shorter then, or zero.
async fn check_complete(view: &dyn Read, shards: &[Shard], time: TimestampSeconds) -> Result<()> {
    let mut complete_from = TimestampSeconds(0);
    for shard in shards {
        let Some(state) = view.get(*shard, STATE, STATE_KEY).await? else { continue };
        complete_from = complete_from.max(PartitionState::decode(&state)?.trimmed.complete_from());
    }
    if time >= complete_from {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Invalid,
        format!(
            "the second {} lies before the second {}, from which on versions are complete: some that ended at it were \
             not kept, because the retention in the change feed policy was shorter then",
            time.0, complete_from.0
        ),
    ))
}

fn check_time(time: TimestampSeconds, now: TimestampSeconds, retention_seconds: u64) -> Result<()> {
    if time > now {
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("the second {} lies in the future, now is {}", time.0, now.0),
        ));
    }
    if time.0 + retention_seconds < now.0 {
        return Err(Error::new(
            ErrorKind::Invalid,
            format!(
                "the second {} lies {} seconds back, versions are kept for {retention_seconds}; a longer \
                 retention in the change feed policy reaches further back from then on",
                time.0,
                now.0 - time.0
            ),
        ));
    }
    Ok(())
}
