//! Reverse check: every entry has its item.
//!
//! If every item has all its entries and the number of entries is what the items require, no entry is left over. So the
//! entries are only counted, and looked up one by one only if the counts differ. Versions have no item to compare with
//! and are checked by themselves.

use std::ops::Bound;

use model::Lsn;
use storage::{Direction, Entry, KeyRange, Scan, ScanLimit, Space};

use super::forward::{ExpectedEntries, hex};
use super::partition::PartitionVerification;
use crate::error::Result;
use crate::key_layout::{
    CHANGE_LOG, ChangePosition, EXPIRY, ITEMS, ItemKey, TERMS, UNIQUE_KEYS, VERSIONS,
    is_creation_entry, is_shape_paths, owner_of_entry,
};
use crate::record::{ItemRecord, Version};
use crate::transaction::entries_of;

/// Entries per scan.
const STEP_ENTRIES: usize = 1000;

impl PartitionVerification<'_> {
    /// Compares the number of entries with what items require; returns the number of terms.
    pub(crate) async fn check_entries(&mut self, expected: &ExpectedEntries) -> Result<u64> {
        let mut terms = 0;
        for space in [TERMS, UNIQUE_KEYS, CHANGE_LOG, EXPIRY] {
            let (count, listed) = self.count(space).await?;
            let wanted = expected.entries.get(&space).copied().unwrap_or_default();
            if space == TERMS {
                terms = count - listed;
            }
            // Fewer than wanted means missing entries, which the forward check has reported one by one.
            if count > wanted {
                self.report_orphans(space).await?;
            }
        }
        Ok(terms)
    }

    /// The number of entries of a space, and how many of them list items in the order of creation.
    async fn count(&mut self, space: Space) -> Result<(u64, u64)> {
        let (mut count, mut listed) = (0, 0);
        let mut scan = SpaceScan::new(space);
        while let Some(entries) = scan.next(self).await? {
            // The paths of a shape stay when its last item goes, so they have no number to compare with.
            let is_counted = |entry: &&Entry| space != TERMS || !is_shape_paths(&entry.key);
            count += entries.iter().filter(is_counted).count() as u64;
            let is_listed = |entry: &&Entry| space == TERMS && is_creation_entry(&entry.key);
            listed += entries.iter().filter(is_listed).count() as u64;
        }
        Ok((count, listed))
    }

    async fn report_orphans(&mut self, space: Space) -> Result<()> {
        let mut scan = SpaceScan::new(space);
        while let Some(entries) = scan.next(self).await? {
            for entry in entries {
                if space == TERMS && is_shape_paths(&entry.key) {
                    continue;
                }
                if !self.check_owner(space, &entry).await? {
                    let key = hex(&entry.key);
                    self.find(format!(
                        "an entry of space {} belongs to no item: {key}",
                        space.name
                    ));
                }
            }
        }
        Ok(())
    }

    async fn check_owner(&self, space: Space, entry: &Entry) -> Result<bool> {
        let levels = self.container.identity.levels();
        let Some(owner) = owner_of_entry(space, &entry.key, &entry.value, levels) else {
            return Ok(false);
        };
        let stored = self.view.get(self.shard(), ITEMS, owner.as_bytes()).await?;
        let Some(Ok(record)) = stored.map(ItemRecord::decode) else { return Ok(false) };
        let layout = self.state.layout_at(owner.as_bytes());
        let entries = entries_of(self.compiled, layout, &owner, &record);
        // The owner must not only exist but still need this entry.
        Ok(entries.is_ok_and(|entries| entries.contains_key(&(space, entry.key.clone()))))
    }

    /// Checks versions: readable, not newer than the partition, no position that is also in the change log.
    pub(crate) async fn check_versions(&mut self) -> Result<u64> {
        let mut count = 0;
        let mut scan = SpaceScan::new(VERSIONS);
        while let Some(entries) = scan.next(self).await? {
            for entry in entries {
                count += 1;
                self.check_version(&entry).await?;
            }
        }
        Ok(count)
    }

    async fn check_version(&mut self, entry: &Entry) -> Result<()> {
        let key = hex(&entry.key);
        let Some(position) = ChangePosition::decode(&entry.key) else {
            self.find(format!("the key of a version is damaged: {key}"));
            return Ok(());
        };
        if position.lsn == Lsn::ZERO || position.lsn > self.newest {
            self.find(format!(
                "a version has lsn {}, the newest is {}",
                position.lsn.0, self.newest.0
            ));
        }
        match Version::decode(entry.value.clone(), self.container.identity.levels()) {
            Err(error) => self.find(format!("a version cannot be read ({key}): {error}")),
            Ok((Version::Superseded { record, key: item }, _)) => {
                self.check_superseded(position, &record, &item);
            }
            Ok((Version::Removed { .. }, _)) => {}
        }
        if self.view.get(self.shard(), CHANGE_LOG, &entry.key).await?.is_some() {
            self.find(format!("a version is superseded and the newest at once: {key}"));
        }
        Ok(())
    }

    fn check_superseded(&mut self, position: ChangePosition, record: &ItemRecord, item: &ItemKey) {
        if record.header.position != position {
            self.find(format!(
                "a version of item '{}' is stored at another position than its header says",
                item.id()
            ));
        }
    }
}

/// A scan of one space of the partition, page by page.
struct SpaceScan {
    space: Space,
    range: Option<KeyRange>,
}

impl SpaceScan {
    fn new(space: Space) -> Self {
        Self { space, range: Some(KeyRange { lower: Bound::Unbounded, upper: Bound::Unbounded }) }
    }

    async fn next(
        &mut self,
        verification: &PartitionVerification<'_>,
    ) -> Result<Option<Vec<Entry>>> {
        let Some(range) = self.range.take() else { return Ok(None) };
        let scan = Scan::forward(range.clone(), ScanLimit::entries(STEP_ENTRIES));
        let page = verification.view.scan(verification.shard(), self.space, &scan).await?;
        if let Some(last) = page.entries.last().filter(|_| page.more) {
            self.range = Some(range.after(last.key.clone(), Direction::Forward));
        }
        Ok(Some(page.entries))
    }
}
