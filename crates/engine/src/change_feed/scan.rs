//! One partition's changes after an lsn, in order.
//!
//! Owns the merge of the change log (newest versions) with the versions (superseded ones and deletions), the filter by
//! epk range, and the rule that a page never ends inside a transaction.

use std::vec::IntoIter;

use model::limits::TRANSACTIONAL_BATCH_OPERATIONS_MAX;
use model::{EpkRange, Lsn, PartitionKey};
use storage::{Direction, Entry, Read, Scan, ScanLimit, ScanPage, Shard, Space, StorageValue};

use super::change::{Change, Removed};
use super::request::ChangeFeedMode;
use crate::container::{ContainerIdentity, ContainerLive};
use crate::error::{Error, Result};
use crate::key_layout::{CHANGE_LOG, ChangePosition, ItemKeyView, VERSIONS};
use crate::outcome::Item;
use crate::record::{LoggedItem, Version, resolve_position};

/// Entries looked at for one page, so that a narrow range in a busy partition cannot hold a reader for long.
const LOOKED_AT_MAX: usize = 10_000;
/// Entries read at once beyond a limit that cut a transaction: those of a transactional batch.
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

/// What a page may hold.
#[derive(Clone, Copy)]
struct Page {
    after: Lsn,
    items_max: usize,
    /// Nothing is missing up to here; none when the entries end where the log does.
    through: Option<Lsn>,
}

enum Source {
    Log,
    Versions,
}

/// Entries of the log and of the versions, both in the order of their keys, which is the order of positions.
struct Entries {
    log: IntoIter<Entry>,
    versions: IntoIter<Entry>,
    /// Up to here nothing is missing; none when both were read to their end.
    complete_through: Option<Lsn>,
}

impl FeedScan<'_> {
    pub(crate) async fn run(&self, after: Lsn, items_max: usize) -> Result<Found> {
        let entries = self.entries(after, items_max).await?;
        let mut found = self.found(entries, after, items_max)?;
        if self.mode == ChangeFeedMode::AllVersionsAndDeletes {
            for change in &mut found.changes {
                let previous = self.image(change.previous_position()).await?;
                change.set_previous(previous);
            }
        }
        Ok(found)
    }

    /// The changes of a page, without the images before them.
    fn found(&self, entries: Entries, after: Lsn, items_max: usize) -> Result<Found> {
        let through = entries.complete_through;
        let page = Page { after, items_max, through };
        if entries.versions.as_slice().is_empty() {
            return self.page(page, entries.log.map(|entry| (Source::Log, entry)));
        }
        self.page(page, entries)
    }

    fn page(&self, page: Page, entries: impl Iterator<Item = (Source, Entry)>) -> Result<Found> {
        let Page { after, items_max, through } = page;
        let mut changes: Vec<Change> = Vec::with_capacity(entries.size_hint().0.min(items_max));
        let mut last = after;
        for (source, entry) in entries {
            let lsn = position(&entry)?.lsn;
            if through.is_some_and(|through| lsn > through) {
                break;
            }
            if changes.len() >= items_max && lsn != last {
                return Ok(Found { changes, through: Some(last) });
            }
            last = lsn;
            match source {
                Source::Log => self.logged(lsn, entry.value, &mut changes)?,
                Source::Versions => self.superseded(lsn, entry.value, &mut changes)?,
            }
        }
        Ok(Found { changes, through })
    }

    /// Entries for a page, with every transaction it has room for the beginning of.
    async fn entries(&self, after: Lsn, items_max: usize) -> Result<Entries> {
        // One more than wanted: it shows that the transaction before it is complete.
        let wanted =
            if self.covers_partition { items_max.saturating_add(1) } else { LOOKED_AT_MAX };
        let limit = ScanLimit::entries(wanted.min(LOOKED_AT_MAX));
        let log = self.space(after, limit, CHANGE_LOG).await?;
        let versions = match self.mode {
            ChangeFeedMode::LatestVersion => ScanPage { entries: Vec::new(), more: false },
            ChangeFeedMode::AllVersionsAndDeletes => self.space(after, limit, VERSIONS).await?,
        };
        Entries::new(log, versions)
    }

    /// Entries of one space up to the limit, and beyond it if a transaction would be cut.
    async fn space(&self, after: Lsn, limit: ScanLimit, space: Space) -> Result<ScanPage> {
        let mut scan = Scan::forward(ChangePosition::after(after), limit);
        let mut page = self.view.scan(self.shard, space, &scan).await?;
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

    /// Adds the change an entry of the log tells, if it is asked for.
    #[inline]
    fn logged(&self, lsn: Lsn, value: StorageValue, changes: &mut Vec<Change>) -> Result<()> {
        let item = LoggedItem::decode(value, self.container.levels())?;
        let is_gone = self.mode == ChangeFeedMode::LatestVersion
            && self.live.expires_items()
            && self.live.is_expired(&item.header(), self.now);
        if !is_gone && self.is_wanted(item.key()) {
            changes.push(Change::written(item, lsn));
        }
        Ok(())
    }

    /// Adds the change an entry of the versions tells, if it is asked for.
    fn superseded(&self, lsn: Lsn, value: StorageValue, changes: &mut Vec<Change>) -> Result<()> {
        let levels = self.container.levels();
        if let Some(item) = Version::superseded(&value, levels)? {
            if self.is_wanted(item.key()) {
                changes.push(Change::written(item, lsn));
            }
            return Ok(());
        }
        let (version, ended) = Version::decode(value, levels)?;
        let Version::Removed { key, removal, previous } = version else {
            return Err(Error::corrupt("a superseded version is shorter than its header"));
        };
        if self.is_wanted(key.view()) {
            let previous = resolve_position(previous, lsn);
            let removed = Removed { key, removal, previous, timestamp: ended };
            changes.push(Change::removed(removed, lsn));
        }
        Ok(())
    }

    #[inline]
    fn is_wanted(&self, key: ItemKeyView<'_>) -> bool {
        let in_range = self.covers_partition || self.range.contains(&key.epk());
        in_range
            && self.partition_key.is_none_or(|wanted| {
                key.partition_key().components().starts_with(wanted.components())
            })
    }

    /// The item at an earlier position, if it is still kept.
    async fn image(&self, position: ChangePosition) -> Result<Option<Item>> {
        if position.lsn == Lsn::ZERO {
            return Ok(None);
        }
        let Some(value) = self.view.get(self.shard, VERSIONS, &position.key()).await? else {
            return Ok(None);
        };
        match Version::decode(value, self.container.levels())?.0 {
            Version::Superseded { record, .. } => Ok(Some(Item::from_record(record, position.lsn))),
            Version::Removed { .. } => Ok(None),
        }
    }
}

impl Entries {
    fn new(log: ScanPage, versions: ScanPage) -> Result<Self> {
        let complete_through = match (complete_through(&log)?, complete_through(&versions)?) {
            (Some(log), Some(versions)) => Some(log.min(versions)),
            (log, versions) => log.or(versions),
        };
        let (log, versions) = (log.entries.into_iter(), versions.entries.into_iter());
        Ok(Self { log, versions, complete_through })
    }
}

impl Iterator for Entries {
    type Item = (Source, Entry);

    fn next(&mut self) -> Option<Self::Item> {
        let is_version = match (self.log.as_slice().first(), self.versions.as_slice().first()) {
            (Some(log), Some(version)) => version.key < log.key,
            (log, _) => log.is_none(),
        };
        if is_version {
            self.versions.next().map(|entry| (Source::Versions, entry))
        } else {
            self.log.next().map(|entry| (Source::Log, entry))
        }
    }
}

/// Up to where a page is complete; none when it ends where the space does. The last transaction may go on beyond a
/// cut: only the one before it is surely complete.
fn complete_through(page: &ScanPage) -> Result<Option<Lsn>> {
    let last = page.entries.last().filter(|_| page.more);
    Ok(last.map(position).transpose()?.map(|position| Lsn(position.lsn.0.saturating_sub(1))))
}

/// The transaction a page ends in the middle of, as far as the page can tell.
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
