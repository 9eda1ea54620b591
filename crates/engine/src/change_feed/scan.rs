//! Scans the changes of one partition after an lsn, in order.
//!
//! Owns the merge of the change log (newest versions) with the versions (superseded ones and deletions), the filter by
//! epk range, and the rule that a page never ends inside a transaction: positions are lsns, and all changes of a
//! transaction share one.

use std::vec::IntoIter;

use model::limits::{PAGE_BYTES_MAX, TRANSACTIONAL_BATCH_OPERATIONS_MAX};
use model::{EpkRange, Lsn, PartitionKey};
use storage::{Direction, Entry, Read, Scan, ScanLimit, ScanPage, Shard, Space, StorageValue};

use super::change::{ChangeRecord, RemovedItem};
use super::request::ChangeFeedMode;
use crate::container::{CompiledProperties, ContainerIdentity};
use crate::error::{Error, Result};
use crate::key_layout::{CHANGE_LOG, ChangePosition, ItemKeyView, VERSIONS};
use crate::record::{LoggedItem, Version, resolve_position};
use crate::response::ItemResource;

/// Entries read for one page at most, so that a narrow range in a busy partition does not delay a reader for long.
const ENTRIES_MAX: usize = 10_000;
/// Entries per scan after a limit that cut a transaction: as many as a transactional batch has.
const TRANSACTION_ENTRIES: usize = TRANSACTIONAL_BATCH_OPERATIONS_MAX;

/// The scan of one partition.
pub(crate) struct FeedScan<'scan> {
    pub(crate) view: &'scan dyn Read,
    pub(crate) container: &'scan ContainerIdentity,
    pub(crate) compiled: &'scan CompiledProperties,
    pub(crate) shard: Shard,
    pub(crate) range: EpkRange,
    pub(crate) covers_partition: bool,
    /// Only items whose partition key has this prefix. Needed because different keys may have the same epk.
    pub(crate) partition_key: Option<&'scan PartitionKey>,
    pub(crate) mode: ChangeFeedMode,
    pub(crate) now: model::TimestampMs,
}

/// The changes of a scan.
pub(crate) struct FeedScanResult {
    pub(crate) changes: Vec<ChangeRecord>,
    /// Everything up to this lsn was read; none if the end of the log was reached.
    pub(crate) through: Option<Lsn>,
}

/// The limits of a page.
#[derive(Clone, Copy)]
struct FeedPageLimits {
    after: Lsn,
    items_max: usize,
    /// Up to this lsn no entry is missing; none if the end of the log was reached.
    through: Option<Lsn>,
}

enum FeedSource {
    Log,
    Versions,
}

/// Entries of the log and of the versions, both in the order of their keys, which is the order of positions.
struct MergedEntries {
    log: IntoIter<Entry>,
    versions: IntoIter<Entry>,
    /// Up to this lsn no entry is missing; none if both were read to their end.
    complete_through: Option<Lsn>,
}

impl FeedScan<'_> {
    pub(crate) async fn run(&self, after: Lsn, items_max: usize) -> Result<FeedScanResult> {
        let entries = self.entries(after, items_max).await?;
        let mut result = self.page_of_entries(entries, after, items_max)?;
        if self.mode == ChangeFeedMode::AllVersionsAndDeletes {
            for change in &mut result.changes {
                // One get per change, after the page is complete: entries beyond the page cost no look-up.
                let previous = self.read_version(change.previous_position()).await?;
                change.set_previous(previous);
            }
        }
        Ok(result)
    }

    /// The changes of a page, without previous images.
    fn page_of_entries(
        &self,
        entries: MergedEntries,
        after: Lsn,
        items_max: usize,
    ) -> Result<FeedScanResult> {
        let through = entries.complete_through;
        let page = FeedPageLimits { after, items_max, through };
        // The feed of newest versions has no second source; without the merge its loop is simpler for the compiler.
        if entries.versions.as_slice().is_empty() {
            return self.page(page, entries.log.map(|entry| (FeedSource::Log, entry)));
        }
        self.page(page, entries)
    }

    fn page(
        &self,
        page: FeedPageLimits,
        entries: impl Iterator<Item = (FeedSource, Entry)>,
    ) -> Result<FeedScanResult> {
        let FeedPageLimits { after, items_max, through } = page;
        let mut changes: Vec<ChangeRecord> =
            Vec::with_capacity(entries.size_hint().0.min(items_max));
        let mut last = after;
        for (source, entry) in entries {
            let lsn = position(&entry)?.lsn;
            if through.is_some_and(|through| lsn > through) {
                break;
            }
            // Only between transactions: the position is an lsn, and the rest of a cut transaction would be lost.
            if changes.len() >= items_max && lsn != last {
                return Ok(FeedScanResult { changes, through: Some(last) });
            }
            // Also for entries that do not match, so that a page without changes still advances.
            last = lsn;
            match source {
                FeedSource::Log => self.add_logged(lsn, entry.value, &mut changes)?,
                FeedSource::Versions => self.add_superseded(lsn, entry.value, &mut changes)?,
            }
        }
        Ok(FeedScanResult { changes, through })
    }

    /// Entries for a page; a transaction that begins in it is complete.
    async fn entries(&self, after: Lsn, items_max: usize) -> Result<MergedEntries> {
        // One more than needed: the entry after a transaction shows that the transaction is complete.
        // For a part of a partition nobody knows how many entries match, so the bound on the work is the only limit.
        let wanted = if self.covers_partition { items_max.saturating_add(1) } else { ENTRIES_MAX };
        let limit = ScanLimit { entries_max: wanted.min(ENTRIES_MAX), bytes_max: PAGE_BYTES_MAX };
        let log = self.scan_space(after, limit, CHANGE_LOG).await?;
        let versions = match self.mode {
            ChangeFeedMode::LatestVersion => ScanPage { entries: Vec::new(), more: false },
            ChangeFeedMode::AllVersionsAndDeletes => {
                self.scan_space(after, limit, VERSIONS).await?
            }
        };
        MergedEntries::new(log, versions)
    }

    /// Entries of one space up to the limit, and beyond it if the limit would cut a transaction.
    async fn scan_space(&self, after: Lsn, limit: ScanLimit, space: Space) -> Result<ScanPage> {
        let mut scan = Scan::forward(ChangePosition::after(after), limit);
        let mut page = self.view.scan(self.shard, space, &scan).await?;
        // If an earlier transaction is complete, the page can end there, and nothing more needs to be read.
        let Some(cut) = cut_transaction(&page)? else { return Ok(page) };
        while let Some(last) = page.entries.last().filter(|_| page.more)
            && position(last)?.lsn == cut
        {
            let range = scan.range.after(last.key.clone(), Direction::Forward);
            scan = Scan::forward(range, ScanLimit::entries(TRANSACTION_ENTRIES));
            let rest = self.view.scan(self.shard, space, &scan).await?;
            page.entries.extend(rest.entries);
            page.more = rest.more;
        }
        Ok(page)
    }

    /// Adds the change of a log entry, if it matches.
    #[inline]
    fn add_logged(
        &self,
        lsn: Lsn,
        value: StorageValue,
        changes: &mut Vec<ChangeRecord>,
    ) -> Result<()> {
        let item = LoggedItem::decode(value, self.container.levels())?;
        // The feed of all versions shows a state that has expired: its expiry is an event of its own.
        let is_expired = self.mode == ChangeFeedMode::LatestVersion
            && self.compiled.expires_items()
            && self.compiled.is_expired(&item.header(), self.now);
        if !is_expired && self.matches(item.key()) {
            changes.push(ChangeRecord::written(item, lsn));
        }
        Ok(())
    }

    /// Adds the change of a version, if it matches.
    fn add_superseded(
        &self,
        lsn: Lsn,
        value: StorageValue,
        changes: &mut Vec<ChangeRecord>,
    ) -> Result<()> {
        let levels = self.container.levels();
        if let Some(item) = Version::superseded(&value, levels)? {
            if self.matches(item.key()) {
                changes.push(ChangeRecord::written(item, lsn));
            }
            return Ok(());
        }
        let (version, ended) = Version::decode(value, levels)?;
        let Version::Removed { key, removal, previous } = version else {
            return Err(Error::corrupt("a superseded version is shorter than its header"));
        };
        if self.matches(key.view()) {
            let previous = resolve_position(previous, lsn);
            let removed = RemovedItem { key, removal, previous, timestamp: ended };
            changes.push(ChangeRecord::removed(removed, lsn));
        }
        Ok(())
    }

    #[inline]
    fn matches(&self, key: ItemKeyView<'_>) -> bool {
        // Decoding the epk allocates; most readers follow whole partitions.
        let in_range = self.covers_partition || self.range.contains(&key.epk());
        in_range
            && self.partition_key.is_none_or(|wanted| {
                key.partition_key().components().starts_with(wanted.components())
            })
    }

    /// The item at an earlier position, if it is still kept.
    async fn read_version(&self, position: ChangePosition) -> Result<Option<ItemResource>> {
        if position.lsn == Lsn::ZERO {
            return Ok(None);
        }
        let Some(value) = self.view.get(self.shard, VERSIONS, &position.key()).await? else {
            return Ok(None);
        };
        match Version::decode(value, self.container.levels())?.0 {
            Version::Superseded { record, .. } => {
                Ok(Some(ItemResource::from_record(record, position.lsn)))
            }
            // An item that was created again after a deletion has no state before.
            Version::Removed { .. } => Ok(None),
        }
    }
}

impl MergedEntries {
    fn new(log: ScanPage, versions: ScanPage) -> Result<Self> {
        let complete_through = match (complete_through(&log)?, complete_through(&versions)?) {
            // Beyond the shorter one, entries of that space may be missing between those of the other.
            (Some(log), Some(versions)) => Some(log.min(versions)),
            (log, versions) => log.or(versions),
        };
        let (log, versions) = (log.entries.into_iter(), versions.entries.into_iter());
        Ok(Self { log, versions, complete_through })
    }
}

impl Iterator for MergedEntries {
    type Item = (FeedSource, Entry);

    fn next(&mut self) -> Option<Self::Item> {
        let is_version = match (self.log.as_slice().first(), self.versions.as_slice().first()) {
            // Keys never are equal: an entry is in the log or in the versions, and one commit moves it.
            (Some(log), Some(version)) => version.key < log.key,
            (log, _) => log.is_none(),
        };
        if is_version {
            self.versions.next().map(|entry| (FeedSource::Versions, entry))
        } else {
            self.log.next().map(|entry| (FeedSource::Log, entry))
        }
    }
}

/// The lsn up to which a page is complete; none if it reaches the end of the space. The last transaction of a limited
/// page may continue after it, so that only the one before is known to be complete.
fn complete_through(page: &ScanPage) -> Result<Option<Lsn>> {
    let last = page.entries.last().filter(|_| page.more);
    Ok(last.map(position).transpose()?.map(|position| Lsn(position.lsn.0.saturating_sub(1))))
}

/// The transaction that the end of a page may have cut; none if an earlier transaction is complete in the page.
fn cut_transaction(page: &ScanPage) -> Result<Option<Lsn>> {
    let mut backwards = page.entries.iter().rev();
    let Some(last) = backwards.next().filter(|_| page.more) else { return Ok(None) };
    let cut = position(last)?.lsn;
    let before = backwards.next().map(position).transpose()?;
    Ok(before.is_none_or(|before| before.lsn == cut).then_some(cut))
}

fn position(entry: &Entry) -> Result<ChangePosition> {
    ChangePosition::decode(&entry.key)
        .ok_or_else(|| Error::corrupt("the key of a change is damaged"))
}
