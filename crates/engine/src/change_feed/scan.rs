//! One partition's changes after an lsn, in order.
//!
//! Owns the merge of the change log (newest versions) with the versions (superseded ones and deletions), the filter by
//! epk range, and the rule that a page never ends inside a transaction.

use model::limits::TRANSACTIONAL_BATCH_OPERATIONS_MAX;
use model::{EpkRange, ItemId, Lsn, PartitionKey, TimestampSeconds};
use storage::{Read, Scan, ScanLimit, Shard, StorageValue};

use super::change::{Change, ChangeFeedMode, ChangeOperation};
use crate::catalog::{ContainerIdentity, ContainerLive};
use crate::error::{Error, Result};
use crate::item::{ItemRecord, LogEntry, Removal, Version, item_of, resolve};
use crate::key_layout::{CHANGE_LOG, ChangePosition, ItemKey, VERSIONS};

/// Entries looked at for one page, so that a narrow range in a busy partition cannot hold a reader for long.
const LOOKED_AT_MAX: usize = 10_000;
/// Entries that may follow the last wanted one inside its transaction: those of a transactional batch.
const TRANSACTION_ENTRIES: usize = TRANSACTIONAL_BATCH_OPERATIONS_MAX;

/// What to look for.
pub(crate) struct FeedScan<'scan> {
    pub(crate) view: &'scan dyn Read,
    pub(crate) container: &'scan ContainerIdentity,
    pub(crate) live: &'scan ContainerLive,
    pub(crate) shard: Shard,
    pub(crate) range: EpkRange,
    pub(crate) covers_partition: bool,
    /// Only items whose partition key begins so: different keys may share an epk.
    pub(crate) partition_key: Option<&'scan PartitionKey>,
    pub(crate) mode: ChangeFeedMode,
    pub(crate) now: model::TimestampMs,
}

/// What was found.
pub(crate) struct Found {
    pub(crate) changes: Vec<Change>,
    /// Everything up to here was looked at; none when the log ended.
    pub(crate) through: Option<Lsn>,
}

enum Source {
    Log,
    Versions,
}

impl FeedScan<'_> {
    pub(crate) async fn run(&self, after: Lsn, items_max: usize) -> Result<Found> {
        let wanted = if self.covers_partition {
            items_max.saturating_add(TRANSACTION_ENTRIES).min(LOOKED_AT_MAX)
        } else {
            LOOKED_AT_MAX
        };
        let mut limit = ScanLimit::entries(wanted);
        let (entries, complete_through) = loop {
            let (entries, through) = self.entries(after, limit).await?;
            let first = entries.first().map(|(position, ..)| position.lsn);
            if through.is_none() || first <= through {
                break (entries, through);
            }
            // One transaction is larger than the limit. It is read whole, or the feed would stand still for ever.
            limit.entries_max *= 2;
            limit.bytes_max *= 2;
        };
        let mut changes: Vec<Change> = Vec::with_capacity(entries.len());
        let mut last = after;
        for (position, source, value) in entries {
            if complete_through.is_some_and(|through| position.lsn > through) {
                break;
            }
            if changes.len() >= items_max && position.lsn != last {
                return Ok(Found { changes, through: Some(last) });
            }
            last = position.lsn;
            changes.extend(self.change(position, &source, &value).await?);
        }
        Ok(Found { changes, through: complete_through })
    }

    /// Entries in order, and the lsn up to which they are complete when a limit cut them.
    async fn entries(
        &self,
        after: Lsn,
        limit: ScanLimit,
    ) -> Result<(Vec<(ChangePosition, Source, StorageValue)>, Option<Lsn>)> {
        let (mut entries, mut complete) =
            self.space(after, limit, CHANGE_LOG, || Source::Log).await?;
        if self.mode == ChangeFeedMode::AllVersionsAndDeletes {
            let (versions, cut) = self.space(after, limit, VERSIONS, || Source::Versions).await?;
            entries.extend(versions);
            entries.sort_by_key(|(position, ..)| *position);
            complete = match (complete, cut) {
                (Some(log), Some(versions)) => Some(log.min(versions)),
                (log, versions) => log.or(versions),
            };
        }
        Ok((entries, complete))
    }

    async fn space(
        &self,
        after: Lsn,
        limit: ScanLimit,
        space: storage::Space,
        source: impl Fn() -> Source,
    ) -> Result<(Vec<(ChangePosition, Source, StorageValue)>, Option<Lsn>)> {
        let scan = Scan::forward(ChangePosition::after(after), limit);
        let page = self.view.scan(self.shard, space, &scan).await?;
        let mut entries = Vec::with_capacity(page.entries.len());
        for entry in page.entries {
            let position = ChangePosition::decode(&entry.key)
                .ok_or_else(|| Error::corrupt("the key of a change is damaged"))?;
            entries.push((position, source(), entry.value));
        }
        // The last transaction may go on beyond the cut: only the one before it is surely complete.
        let last = entries.last().map(|(position, ..)| position.lsn);
        let cut = last.filter(|_| page.more).map(|lsn| Lsn(lsn.0 - 1));
        Ok((entries, cut))
    }

    async fn change(
        &self,
        position: ChangePosition,
        source: &Source,
        value: &StorageValue,
    ) -> Result<Option<Change>> {
        let levels = self.container.levels();
        let version = match source {
            Source::Log => {
                let (key, record) = LogEntry::decode(value, levels)?;
                if self.mode == ChangeFeedMode::LatestVersion
                    && self.live.is_expired(&record.header, self.now)
                {
                    return Ok(None);
                }
                (Version::Superseded { key, record }, TimestampSeconds(0))
            }
            Source::Versions => Version::decode(value, levels)?,
        };
        let (version, ended) = version;
        if !self.covers_partition && !self.range.contains(&version.key().epk()) {
            return Ok(None);
        }
        if let Some(wanted) = self.partition_key
            && !partition_key(version.key())?.components().starts_with(wanted.components())
        {
            return Ok(None);
        }
        let change = match version {
            Version::Superseded { key, record } => self.written(position, &key, &record).await?,
            Version::Removed { key, removal, previous } => {
                self.removed(position, &key, removal, previous, ended).await?
            }
        };
        Ok(Some(change))
    }

    async fn written(
        &self,
        position: ChangePosition,
        key: &ItemKey,
        record: &ItemRecord,
    ) -> Result<Change> {
        let previous = resolve(record.header.previous, position.lsn);
        let created = previous.lsn == Lsn::ZERO;
        Ok(Change {
            operation: if created { ChangeOperation::Create } else { ChangeOperation::Replace },
            id: item_id(key)?,
            partition_key: partition_key(key)?,
            current: Some(item_of(record, position.lsn)),
            previous: self.image(previous).await?,
            lsn: position.lsn,
            previous_lsn: previous.lsn,
            timestamp: record.header.timestamp,
        })
    }

    async fn removed(
        &self,
        position: ChangePosition,
        key: &ItemKey,
        removal: Removal,
        previous: ChangePosition,
        timestamp: TimestampSeconds,
    ) -> Result<Change> {
        let previous = resolve(previous, position.lsn);
        let operation = match removal {
            Removal::Deleted => ChangeOperation::Delete,
            Removal::Expired => ChangeOperation::Expire,
        };
        Ok(Change {
            operation,
            id: item_id(key)?,
            partition_key: partition_key(key)?,
            current: None,
            previous: self.image(previous).await?,
            lsn: position.lsn,
            previous_lsn: previous.lsn,
            timestamp,
        })
    }

    /// The item at an earlier position, if it is still kept.
    async fn image(&self, position: ChangePosition) -> Result<Option<crate::outcome::Item>> {
        if self.mode == ChangeFeedMode::LatestVersion || position.lsn == Lsn::ZERO {
            return Ok(None);
        }
        let Some(value) = self.view.get(self.shard, VERSIONS, &position.key()).await? else {
            return Ok(None);
        };
        match Version::decode(&value, self.container.levels())?.0 {
            Version::Superseded { record, .. } => Ok(Some(item_of(&record, position.lsn))),
            Version::Removed { .. } => Ok(None),
        }
    }
}

fn item_id(key: &ItemKey) -> Result<ItemId> {
    Ok(ItemId::new(key.id())?)
}

fn partition_key(key: &ItemKey) -> Result<PartitionKey> {
    key.partition_key().ok_or_else(|| Error::corrupt("a stored item key is damaged"))
}
