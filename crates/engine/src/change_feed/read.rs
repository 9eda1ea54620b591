//! Reads the change feed: one page from one physical partition, all partitions in turn.
//!
//! Owns the page. Splits and merges since the position was taken only change which partitions are read.

use std::collections::VecDeque;
use std::sync::Arc;

use model::limits::PAGE_ITEMS_DEFAULT;
use model::{FeedRange, Lsn, RequestCharge, SessionToken};

use super::change::{ChangeFeedPage, ChangeRecord};
use super::position::{ChangeFeedPosition, RangePosition};
use super::request::{ChangeFeedMode, ReadChangeFeed};
use super::scan::{FeedScan, FeedScanResult};
use crate::catalog::ContainerEntry;
use crate::charge;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::{LogicalPartition, STATE, STATE_KEY};
use crate::metering::{Amount, OperationKind};
use crate::partition::{PartitionState, PhysicalPartition};
use crate::record::own_bytes;
use crate::response::{ItemResource, Response};
use crate::throughput::{Admission, MultiAdmission};

/// Refuses a read of all versions of a container that keeps none.
fn check_keeps_versions(container: &ContainerEntry, mode: ChangeFeedMode) -> Result<()> {
    if mode == ChangeFeedMode::AllVersionsAndDeletes && container.compiled().retention_seconds == 0
    {
        return Err(Error::invalid(
            "The container keeps no versions. Set a retention in its change feed policy to read all versions.",
        ));
    }
    Ok(())
}

impl Engine {
    /// Reads a page of changes. An empty page without `more` means that there is nothing new; read again later from its
    /// position.
    ///
    /// A page reads at most 10,000 entries of the change log. A narrow feed range shares that log with the rest of its
    /// physical partition, so that a page may be empty or short and still have `more`. Its position is after what was
    /// read: the next page always makes progress.
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
    /// # let ann = model::PartitionKey::from("ann");
    /// # let order = |text: &str| model::MeasuredJson::parse(text.as_bytes());
    /// # let id = model::ItemId::new("1")?;
    /// # let create = CreateItem {
    /// #     container: orders.clone(),
    /// #     partition_key: None,
    /// #     item: order(r#"{"id":"1","customer":"ann","total":5}"#)?,
    /// #     options: WriteOptions::default(),
    /// # };
    /// # engine.create_item(create).await?;
    /// # use model::FeedRange;
    /// use planisphere_engine::change_feed::{ChangeFeedMode, ChangeFeedStart, ReadChangeFeed};
    ///
    /// let read = ReadChangeFeed {
    ///     container: orders,
    ///     feed_range: FeedRange::Container,
    ///     mode: ChangeFeedMode::LatestVersion,
    ///     start: ChangeFeedStart::Beginning,
    ///     items_max: None,
    /// };
    /// let page = engine.read_change_feed(read).await?.value;
    /// assert_eq!(page.changes[0].id(), "1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `ContinuationRefused` for a foreign token or one older than the retention, `Invalid` for a start the mode does
    /// not have.
    pub async fn read_change_feed(
        &self,
        operation: ReadChangeFeed,
    ) -> Result<Response<ChangeFeedPage>> {
        let container = self.container(&operation.container)?;
        loop {
            match self.read_changes_once(&container, &operation).await? {
                Ok(response) => return Ok(response),
                Err(retired) => self.wait_for_map_without(&container, &retired).await?,
            }
        }
    }

    /// Reads from the partitions of one map. Returns a partition that was retired meanwhile: its data may be half
    /// reclaimed, and the read must be repeated with the new map.
    async fn read_changes_once(
        &self,
        container: &ContainerEntry,
        operation: &ReadChangeFeed,
    ) -> Result<std::result::Result<Response<ChangeFeedPage>, Arc<PhysicalPartition>>> {
        check_keeps_versions(container, operation.mode)?;
        let range = operation.feed_range.epk_range(&container.identity.definition);
        let start =
            self.starting_position(container, &range, operation.mode, &operation.start).await?;
        let items_max = operation.items_max.unwrap_or(PAGE_ITEMS_DEFAULT).max(1);
        let mut waiting: VecDeque<RangePosition> = start.ranges.into();
        let mut session_token = SessionToken::default();
        let mut changes = Vec::new();
        let mut more = false;
        let logical_partition = self.logical_partition(container, operation);
        let logical = logical_partition.as_ref().map(LogicalPartition::partition_ref);
        let (mut visited, mut empty_partitions) = (Vec::new(), 0);
        for _ in 0..waiting.len() {
            let Some(first) = waiting.pop_front() else { break };
            let parts = split_by_partition(container, &first)?;
            let mut parts = parts.into_iter();
            let Some((partition, part)) = parts.next() else { continue };
            // If the range was split since, its other parts are read next.
            for (_, rest) in parts.rev() {
                waiting.push_front(rest);
                more = true;
            }
            let request = self.metered(OperationKind::ChangeFeed);
            Admission::new(&container.throughput, &partition.throughput, request, logical)?;
            // Taken before the scan: everything up to this lsn is in the snapshot, so that an empty result may advance
            // the position to it.
            let lsn = partition.published.lsn();
            session_token.advance(partition.identity.number, lsn);
            let scanned = self.scan_part(container, &partition, &part, operation, items_max);
            let Some(found) = scanned.await? else { return Ok(Err(partition)) };
            more |= found.through.is_some();
            let seen = found.changes.last().map_or(Lsn::ZERO, ChangeRecord::lsn);
            // The snapshot may be newer than `lsn`, so what was found counts too. A position never goes back.
            let through = found.through.unwrap_or(lsn.max(seen)).max(part.lsn);
            // The part that was read goes to the end: the next page begins with another partition, so that a busy one
            // does not starve the others.
            waiting.push_back(RangePosition { range: part.range, lsn: through });
            visited.push(Arc::clone(&partition.throughput));
            if found.changes.is_empty() {
                empty_partitions += 1;
            } else {
                changes = found.changes;
                more = true;
                break;
            }
        }
        let charge = self.feed_charge(&changes, empty_partitions);
        let (throughput, request) =
            (&container.throughput, self.metered(OperationKind::ChangeFeed));
        let admission = MultiAdmission::already_admitted(throughput, visited, request, logical);
        let texts = changes.iter().filter_map(ChangeRecord::current_text);
        let bytes = texts.map(<[u8]>::len).sum();
        admission.debit(charge, Amount { items: changes.len(), bytes });
        let position = ChangeFeedPosition { ranges: waiting.into() };
        let continuation = position.to_token(&container.identity.rid);
        let lsn = position.single_lsn(&range);
        let value = ChangeFeedPage { changes, position, continuation, lsn, more };
        Ok(Ok(Response { value, charge, session_token: Some(session_token), explanation: None }))
    }

    /// The charge of the changes, and of partitions without any.
    fn feed_charge(&self, changes: &[ChangeRecord], empty_partitions: u64) -> RequestCharge {
        let level = self.core.settings.consistency;
        let nothing = charge::nothing_found(level).times(empty_partitions);
        if changes.is_empty() && empty_partitions > 0 {
            return nothing;
        }
        let texts =
            changes.iter().flat_map(|change| [change.current_text(), previous_text(change)]);
        let bytes = texts.flatten().map(|text| own_bytes(text.len()));
        nothing + charge::feed_page(bytes, 1, level)
    }

    /// The logical partition that is read, if the feed range is one.
    fn logical_partition(
        &self,
        container: &ContainerEntry,
        operation: &ReadChangeFeed,
    ) -> Option<LogicalPartition> {
        let definition = &container.identity.definition;
        match &operation.feed_range {
            FeedRange::PartitionKey(key) if key.components().len() == definition.levels() => {
                Some(LogicalPartition::new(&definition.effective(key), key))
            }
            _ => None,
        }
    }

    /// Scans one part in a snapshot. The snapshot is taken first and the retirement checked after it: if the partition
    /// was not retired by then, the snapshot contains all its writes.
    async fn scan_part(
        &self,
        container: &ContainerEntry,
        partition: &PhysicalPartition,
        part: &RangePosition,
        operation: &ReadChangeFeed,
        items_max: usize,
    ) -> Result<Option<FeedScanResult>> {
        // One snapshot for log and versions: a write between two reads moves an entry from one to the other.
        let view = self.store().snapshot().await?;
        if partition.published.is_retired() {
            return Ok(None);
        }
        let compiled = container.compiled();
        let mode = operation.mode;
        if mode == ChangeFeedMode::AllVersionsAndDeletes {
            self.check_retention(partition, part).await?;
        }
        let scan = FeedScan {
            view: view.as_ref(),
            container: &container.identity,
            compiled: &compiled,
            shard: partition.identity.shard,
            // Then every entry matches and a page needs no more entries than it returns.
            covers_partition: part.range == partition.range,
            range: part.range.clone(),
            partition_key: match &operation.feed_range {
                FeedRange::PartitionKey(key) => Some(key),
                _ => None,
            },
            mode,
            now: self.now(),
        };
        Ok(Some(scan.run(part.lsn, items_max).await?))
    }

    /// Refuses a position before trimmed versions: they would be skipped silently.
    async fn check_retention(
        &self,
        partition: &PhysicalPartition,
        part: &RangePosition,
    ) -> Result<()> {
        // The newest state, not that of the snapshot. It may refuse a position that the snapshot could still serve,
        // but it never lets one pass that it cannot.
        let stored = self.store().get(partition.identity.shard, STATE, STATE_KEY).await?;
        let Some(bytes) = stored else { return Ok(()) };
        let trimmed = PartitionState::decode(&bytes)?.trimmed.lsn_in(&part.range);
        if part.lsn >= trimmed {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::ContinuationRefused,
            format!(
                "You must read the change feed from within the retention period. Versions up to lsn {} are gone, the \
                 position is at {}. Start from now, or read the newest versions from the beginning.",
                trimmed.0, part.lsn.0
            ),
        ))
    }
}

fn previous_text(change: &ChangeRecord) -> Option<&[u8]> {
    change.previous().map(ItemResource::text)
}

/// The partitions that own a range now, each with its part of it.
fn split_by_partition(
    container: &ContainerEntry,
    position: &RangePosition,
) -> Result<Vec<(Arc<PhysicalPartition>, RangePosition)>> {
    let partitions = container.map().overlapping(&position.range);
    if partitions.is_empty() {
        return Err(Error::invalid(format!(
            "the range {} to {} is empty",
            position.range.min, position.range.max
        )));
    }
    Ok(partitions
        .into_iter()
        .filter_map(|partition| {
            let range = partition.range.intersect(&position.range)?;
            Some((partition, RangePosition { range, lsn: position.lsn }))
        })
        .collect())
}
