//! Copies a part of a physical partition into another shard while the source is written to.
//!
//! Owns the bulk copy and the catch-up with items touched since. Entries keep their lsns, so that change feed positions
//! and session tokens remain valid in the copy. Does not own the switch to the copy: see `replace`.

use model::{EpkRange, Lsn};
use storage::{Direction, KeyRange, Scan, ScanLimit, Shard, Space, StorageKey, Store, WriteSet};

use crate::container::{CompiledProperties, ContainerIdentity};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::key_layout::{
    ChangePosition, ITEMS, ItemKey, TERMS, UNIQUE_KEYS, VERSIONS, epk_key_range, is_shape_paths,
};
use crate::partition::{EntryLayout, Restructuring, TouchedItems};
use crate::record::{ItemRecord, Version, resolve_position};
use crate::transaction::{ItemEntries, entries_of};

/// Items or versions per commit.
const STEP_ENTRIES: usize = 256;

/// One target shard under construction.
pub(super) struct PartitionCopy<'copy> {
    pub(super) engine: &'copy Engine,
    pub(super) progress: &'copy Restructuring,
    pub(super) container: &'copy ContainerIdentity,
    pub(super) compiled: &'copy CompiledProperties,
    pub(super) range: EpkRange,
    pub(super) target: Shard,
    pub(super) items: u64,
    pub(super) item_bytes: u64,
}

impl PartitionCopy<'_> {
    /// Copies all items and versions of the range. Writes that arrive meanwhile may or may not be included; `catch_up`
    /// copies them again.
    pub(super) async fn copy_all(&mut self, source: Shard) -> Result<()> {
        self.copy_items(source).await?;
        self.copy_versions(source).await
    }

    async fn copy_items(&mut self, source: Shard) -> Result<()> {
        // Item keys begin with the epk, so that a half of the partition is one key range and the other half is never
        // read.
        let mut range = epk_key_range(&self.range);
        loop {
            self.check_open()?;
            let scan = Scan::forward(range.clone(), ScanLimit::entries(STEP_ENTRIES));
            let page = self.store().scan(source, ITEMS, &scan).await?;
            let Some(last) = page.entries.last().map(|entry| entry.key.clone()) else {
                return Ok(());
            };
            let copied = page.entries.len();
            let mut set = WriteSet::new();
            for entry in page.entries {
                let key = self.item_key(entry.key)?;
                // Terms are derived again instead of copied: they are spread over the whole terms space, local ones
                // behind the kind byte and global ones by path, and after a rebuild some may follow an older policy.
                let record = ItemRecord::decode(entry.value)?;
                self.count(None, Some(&record));
                put_all(&mut set, entries_of(self.compiled, self.layout(), &key, &record)?);
            }
            self.store().commit(self.target, vec![set]).await?;
            self.progress.add_copied(copied);
            if !page.more {
                return Ok(());
            }
            range = range.after(last, Direction::Forward);
        }
    }

    async fn copy_versions(&mut self, source: Shard) -> Result<()> {
        // Versions are in the order of writing. Those of a half are mixed with those of the other, so all are read.
        let mut range = KeyRange::all();
        loop {
            self.check_open()?;
            let scan = Scan::forward(range.clone(), ScanLimit::entries(STEP_ENTRIES));
            let page = self.store().scan(source, VERSIONS, &scan).await?;
            let Some(last) = page.entries.last().map(|entry| entry.key.clone()) else {
                return Ok(());
            };
            let mut set = WriteSet::new();
            for entry in page.entries {
                let (version, _) = Version::decode(entry.value.clone(), self.container.levels())?;
                if self.range.contains(&version.key().epk()) {
                    set.put(VERSIONS, entry.key, entry.value);
                }
            }
            self.store().commit(self.target, vec![set]).await?;
            if !page.more {
                return Ok(());
            }
            range = range.after(last, Direction::Forward);
        }
    }

    /// Copies touched items and their versions again. The source is read now and not as of the touch: later writes are
    /// tracked too, so that copying a newer state early does no harm.
    pub(super) async fn catch_up(&mut self, source: Shard, touched: &TouchedItems) -> Result<()> {
        let mut group = Vec::new();
        for (key, lsns) in touched {
            let key = self.item_key(key.clone())?;
            if !self.range.contains(&key.epk()) {
                continue;
            }
            let mut set = WriteSet::new();
            let current = self.refresh_item(source, &key, &mut set).await?;
            for lsn in lsns {
                self.refresh_versions(source, &key, *lsn, &mut set).await?;
            }
            // The version before the current one ended with the write that was tracked, so that it is new in the
            // versions.
            if let Some(record) = current {
                let previous = resolve_position(record.header.previous, record.header.position.lsn);
                self.refresh_version(source, previous, &mut set).await?;
            }
            group.push(set);
            // One commit for many items: otherwise a busy partition is written faster than it is caught up with.
            if group.len() >= STEP_ENTRIES {
                self.store().commit(self.target, std::mem::take(&mut group)).await?;
            }
        }
        if !group.is_empty() {
            self.store().commit(self.target, group).await?;
        }
        Ok(())
    }

    async fn refresh_item(
        &mut self,
        source: Shard,
        key: &ItemKey,
        set: &mut WriteSet,
    ) -> Result<Option<ItemRecord>> {
        // What the target has, not what the source had: entries to remove are those that were really copied.
        let copied = self.record(self.target, key).await?;
        let current = self.record(source, key).await?;
        // By difference, so that copying an item any number of times counts it once.
        self.count(copied.as_ref(), current.as_ref());
        let layout = self.layout();
        let entries = |record: &ItemRecord| entries_of(self.compiled, layout, key, record);
        let old = copied.as_ref().map(entries).transpose()?.unwrap_or_default();
        let new = current.as_ref().map(entries).transpose()?.unwrap_or_default();
        // The copy may have an older state of the item; entries that only the old state had must go.
        for (space, entry) in old.into_keys().filter(|address| !new.contains_key(address)) {
            if self.check_unowned(source, key, space, &entry).await? {
                set.remove(space, entry);
            }
        }
        put_all(set, new);
        Ok(current)
    }

    /// Whether an entry that an item no longer has can be removed. The paths of its shape may belong to other items. A
    /// unique key that it released may have been taken by another item, which is copied before or after this one.
    async fn check_unowned(
        &self,
        source: Shard,
        item: &ItemKey,
        space: Space,
        key: &StorageKey,
    ) -> Result<bool> {
        if space == TERMS {
            return Ok(!is_shape_paths(key));
        }
        if space != UNIQUE_KEYS {
            return Ok(true);
        }
        let holder = self.store().get(source, UNIQUE_KEYS, key).await?;
        Ok(holder.is_none_or(|holder| holder == item.id_bytes()))
    }

    /// Copies the versions of an item that one transaction has written, and the version before each.
    async fn refresh_versions(
        &self,
        source: Shard,
        key: &ItemKey,
        lsn: Lsn,
        set: &mut WriteSet,
    ) -> Result<()> {
        // All changes of one transaction begin with its lsn; other items of that transaction are skipped.
        let mut range = KeyRange::prefix(&lsn.0.to_be_bytes());
        loop {
            let scan = Scan::forward(range.clone(), ScanLimit::entries(STEP_ENTRIES));
            let page = self.store().scan(source, VERSIONS, &scan).await?;
            let last = page.entries.last().map(|entry| entry.key.clone());
            for entry in page.entries {
                let (version, _) = Version::decode(entry.value.clone(), self.container.levels())?;
                if version.key() != key {
                    continue;
                }
                let previous = match &version {
                    Version::Superseded { record, .. } => record.header.previous,
                    Version::Removed { previous, .. } => *previous,
                };
                self.refresh_version(source, resolve_position(previous, lsn), set).await?;
                set.put(VERSIONS, entry.key, entry.value);
            }
            match last {
                Some(last) if page.more => range = range.after(last, Direction::Forward),
                _ => return Ok(()),
            }
        }
    }

    async fn refresh_version(
        &self,
        source: Shard,
        position: ChangePosition,
        set: &mut WriteSet,
    ) -> Result<()> {
        // The version before a creation.
        if position.lsn == Lsn::ZERO {
            return Ok(());
        }
        let key = position.key();
        // Absent if it was trimmed meanwhile. The mark of the source covers it, and the copy inherits the mark.
        if let Some(value) = self.store().get(source, VERSIONS, &key).await? {
            set.put(VERSIONS, key, value);
        }
        Ok(())
    }

    /// The layout of a copy: that of a new partition, whatever the source has.
    fn layout(&self) -> EntryLayout {
        EntryLayout { generation: self.compiled.generation, is_listed: true }
    }

    fn store(&self) -> &dyn Store {
        self.engine.store()
    }

    /// Closing waits for this copy, so it must not go on to its end.
    fn check_open(&self) -> Result<()> {
        if self.engine.is_closed() { Err(Error::closed()) } else { Ok(()) }
    }

    async fn record(&self, shard: Shard, key: &ItemKey) -> Result<Option<ItemRecord>> {
        let stored = self.store().get(shard, ITEMS, key.as_bytes()).await?;
        stored.map(ItemRecord::decode).transpose()
    }

    fn item_key(&self, key: StorageKey) -> Result<ItemKey> {
        ItemKey::decode(key, self.container.levels())
            .ok_or_else(|| Error::corrupt("a stored item key is damaged"))
    }

    fn count(&mut self, old: Option<&ItemRecord>, new: Option<&ItemRecord>) {
        let bytes =
            |record: Option<&ItemRecord>| record.map_or(0, |record| record.body_len() as u64);
        self.items = self.items + u64::from(new.is_some()) - u64::from(old.is_some());
        self.item_bytes = self.item_bytes + bytes(new) - bytes(old);
    }
}

fn put_all(set: &mut WriteSet, entries: ItemEntries) {
    for ((space, key), value) in entries {
        set.put(space, key, value);
    }
}
