//! Reads the items of one section of a physical partition into a page, without expired ones.

use std::sync::Arc;

use model::limits::PAGE_BYTES_MAX;
use storage::{Direction, KeyRange, Read, Scan, ScanLimit, Shard};

use super::position::{ListPosition, ListSection, SectionOrder};
use crate::catalog::ContainerEntry;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::key_layout::{ITEMS, LogicalPartition, TERMS, TermHit, TermPrefix, epk_key_range};
use crate::partition::PhysicalPartition;
use crate::record::ItemRecord;
use crate::response::ItemResource;
use crate::throughput::PartitionThroughput;

/// Entries of the list that are read at once.
const LISTED_AT_ONCE: usize = 1_000;

/// Approximate bytes of the items that are read at once.
const BATCH_BYTES: u64 = 1024 * 1024;

/// A page under construction.
pub(super) struct GatheredPage {
    items_max: usize,
    /// Ordinals and items.
    pub(super) items: Vec<(u64, ItemResource)>,
    pub(super) bytes: usize,
    /// The position after the last item that was read, expired or not.
    pub(super) last: Option<ListPosition>,
    pub(super) more: bool,
    /// Physical partitions read.
    pub(super) visited: Vec<Arc<PartitionThroughput>>,
}

impl GatheredPage {
    pub(super) fn new(items_max: usize) -> Self {
        let (items, visited) = (Vec::new(), Vec::new());
        Self { items_max, items, bytes: 0, last: None, more: false, visited }
    }

    pub(super) fn is_full(&self) -> bool {
        self.items.len() >= self.items_max || self.bytes >= PAGE_BYTES_MAX
    }

    fn items_left(&self) -> usize {
        self.items_max.saturating_sub(self.items.len())
    }
}

/// Reads one section.
pub(super) struct SectionReader<'list> {
    engine: &'list Engine,
    /// One view for the list and the items, so that each listed item is there.
    view: Arc<dyn Read>,
    container: &'list ContainerEntry,
    shard: Shard,
    section: ListSection,
    /// Whether the section is the whole physical partition, or one logical partition.
    has_own_list: bool,
    logical: Option<&'list LogicalPartition>,
    /// The average size of an item.
    average_bytes: u64,
    is_listed: bool,
}

impl<'list> SectionReader<'list> {
    pub(super) fn new(
        (engine, view): (&'list Engine, &Arc<dyn Read>),
        container: &'list ContainerEntry,
        partition: &PhysicalPartition,
        logical: Option<&'list LogicalPartition>,
        section: ListSection,
    ) -> Self {
        let owned = &partition.range;
        let is_whole = section.range.min <= owned.min && owned.max <= section.range.max;
        let usage = partition.published.usage();
        Self {
            engine,
            view: Arc::clone(view),
            container,
            shard: partition.identity.shard,
            has_own_list: logical.is_some() || is_whole,
            logical,
            average_bytes: usage.item_bytes.checked_div(usage.items).unwrap_or(BATCH_BYTES).max(1),
            is_listed: partition.published.is_listed(),
            section,
        }
    }

    pub(super) async fn gather(
        &self,
        position: &ListPosition,
        page: &mut GatheredPage,
    ) -> Result<()> {
        match &self.section.order {
            SectionOrder::Created(after) => self.gather_created(*after, position, page).await,
            SectionOrder::Keys(after) => {
                let keys = self.item_keys();
                let range = match after {
                    Some(after) => keys.after(after.clone(), Direction::Forward),
                    None => keys,
                };
                let first = page.items.len();
                self.gather_by_key(range, page).await?;
                // All of it is on this page, so that the order is free to choose.
                if after.is_none() && !page.more && self.is_listed {
                    page.items.get_mut(first..).unwrap_or_default().sort_by_key(|(it, _)| *it);
                }
                Ok(())
            }
        }
    }

    fn item_keys(&self) -> KeyRange {
        match self.logical {
            Some(logical) => KeyRange::prefix(logical.as_bytes()),
            None => epk_key_range(&self.section.range),
        }
    }

    async fn gather_by_key(&self, mut range: KeyRange, page: &mut GatheredPage) -> Result<()> {
        while !page.is_full() {
            let limit = ScanLimit {
                // One more than needed: it shows whether the list goes on after a full page.
                entries_max: page.items_left().saturating_add(1),
                // Cannot underflow: a page with that many bytes is full, and the loop has ended.
                bytes_max: PAGE_BYTES_MAX - page.bytes,
            };
            let scan = Scan::forward(range.clone(), limit);
            let scanned = self.view.scan(self.shard, ITEMS, &scan).await?;
            for entry in scanned.entries {
                if page.is_full() {
                    page.more = true;
                    return Ok(());
                }
                range = range.after(entry.key.clone(), Direction::Forward);
                // Also for an expired item: it was read, and the next page must not read it again.
                page.last = Some(ListPosition::Key(entry.key));
                self.push(ItemRecord::decode(entry.value)?, page);
            }
            page.more = scanned.more;
            if !scanned.more {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn gather_created(
        &self,
        after: Option<u64>,
        position: &ListPosition,
        page: &mut GatheredPage,
    ) -> Result<()> {
        let prefix = TermPrefix::creation(self.logical);
        let mut range = prefix.after(&[], after);
        let mut is_fresh = after.is_none();
        while !page.is_full() {
            // One more than needed: it shows whether the list goes on after a full page. In a list with other items the
            // number that is needed is unknown.
            let needed = if self.has_own_list {
                page.items_left().saturating_add(1)
            } else {
                LISTED_AT_ONCE
            };
            let entries_max = needed.min(LISTED_AT_ONCE);
            let scan = Scan::forward(range.clone(), ScanLimit::entries(entries_max));
            let listed = self.view.scan(self.shard, TERMS, &scan).await?;
            let last = listed.entries.last().map(|last| last.key.clone());
            let hits = prefix.decode(listed.entries);
            let mut hits = hits.ok_or_else(|| Error::corrupt("the list of items is damaged"))?;
            if !self.has_own_list {
                let keys = self.item_keys();
                hits.retain(|hit| keys.contains(&hit.key));
            }
            let is_all = is_fresh && !listed.more;
            let is_cut = self.push_listed(&hits, is_all, position, page).await?;
            page.more = is_cut || listed.more;
            if is_cut {
                return Ok(());
            }
            match last {
                Some(last) if listed.more => range = range.after(last, Direction::Forward),
                _ => return Ok(()),
            }
            is_fresh = false;
        }
        Ok(())
    }

    /// Adds items of the list until the page is full; returns whether some are left. `is_all` says that the section has
    /// no others.
    async fn push_listed(
        &self,
        hits: &[TermHit],
        is_all: bool,
        position: &ListPosition,
        page: &mut GatheredPage,
    ) -> Result<bool> {
        let bytes = self.average_bytes.saturating_mul(hits.len() as u64);
        let mut records = match is_all && self.has_own_list && bytes <= BATCH_BYTES / 2 {
            true => self.scan_all(hits.len()).await?,
            false => Vec::new(),
        };
        let at_once = usize::try_from(BATCH_BYTES / self.average_bytes).unwrap_or(1).clamp(1, 128);
        let mut rest = hits;
        while !rest.is_empty() {
            if page.is_full() {
                return Ok(true);
            }
            let (now, later) = rest.split_at(rest.len().min(at_once).min(page.items_left()));
            rest = later;
            let mut read = None;
            let loaded = self.load(now, &mut records).await?;
            let mut loaded = now.iter().zip(loaded);
            while !page.is_full() {
                let Some((hit, record)) = loaded.next() else { break };
                read = Some(hit.ordinal);
                if let Some(record) = record {
                    self.push(record, page);
                }
            }
            if let Some(ordinal) = read {
                page.last = Some(position.after(&self.section.range, ordinal));
            }
            if loaded.next().is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// All items of the section, which are neighbours: one scan instead of a read for each. Fewer if they are large.
    async fn scan_all(&self, items: usize) -> Result<Vec<ItemRecord>> {
        let limit = ScanLimit {
            entries_max: items.max(1),
            bytes_max: usize::try_from(BATCH_BYTES).unwrap_or(usize::MAX),
        };
        let scan = Scan::forward(self.item_keys(), limit);
        let scanned = self.view.scan(self.shard, ITEMS, &scan).await?;
        let records = scanned.entries.into_iter().map(|entry| ItemRecord::decode(entry.value));
        let mut records = records.collect::<Result<Vec<_>>>()?;
        records.sort_by_key(|record| record.header.position.ordinal);
        // The next one is the last.
        records.reverse();
        Ok(records)
    }

    /// The records of some items: from those that were scanned, otherwise by key.
    async fn load(
        &self,
        hits: &[TermHit],
        scanned: &mut Vec<ItemRecord>,
    ) -> Result<Vec<Option<ItemRecord>>> {
        if scanned.is_empty() {
            let keys: Vec<_> = hits.iter().map(|hit| hit.key.clone()).collect();
            let stored = self.view.get_many(self.shard, ITEMS, &keys).await?;
            return stored.into_iter().map(|it| it.map(ItemRecord::decode).transpose()).collect();
        }
        let mut records = Vec::with_capacity(hits.len());
        for hit in hits {
            let ordinal = |record: &ItemRecord| record.header.position.ordinal;
            let known = scanned.pop_if(|record| ordinal(record) == hit.ordinal);
            records.push(match known {
                Some(record) => Some(record),
                None => {
                    let stored = self.view.get(self.shard, ITEMS, &hit.key).await?;
                    stored.map(ItemRecord::decode).transpose()?
                }
            });
        }
        Ok(records)
    }

    fn push(&self, record: ItemRecord, page: &mut GatheredPage) {
        let (ordinal, lsn) = (record.header.position.ordinal, record.header.position.lsn);
        if !self.container.compiled().is_expired(&record.header, self.engine.now()) {
            page.bytes += record.body_len();
            page.items.push((ordinal, ItemResource::from_record(record, lsn)));
        }
    }
}
