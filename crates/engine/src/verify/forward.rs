//! Forward check: every item has its entries.
//!
//! Owns the scan of the items, the comparison of each expected entry with the store, and the counts that the reverse
//! check compares with.

use std::collections::{BTreeMap, HashSet};

use storage::{Direction, Entry, KeyRange, Scan, ScanLimit, Space, StorageKey};

use super::partition::PartitionVerification;
use crate::error::Result;
use crate::key_layout::{ITEMS, ItemKey, TERMS, is_shape_paths};
use crate::record::ItemRecord;
use crate::transaction::{ItemEntries, entries_of};

/// Items per step.
const STEP_ITEMS: usize = 128;

/// How many entries the items require.
#[derive(Default)]
pub(crate) struct ExpectedEntries {
    pub(crate) items: u64,
    pub(crate) item_bytes: u64,
    /// Entries per space, without the paths of shapes.
    pub(crate) entries: BTreeMap<Space, u64>,
    /// Shapes in use.
    pub(crate) shapes: HashSet<StorageKey>,
}

impl PartitionVerification<'_> {
    pub(crate) async fn check_items(&mut self) -> Result<ExpectedEntries> {
        let mut expected = ExpectedEntries::default();
        let mut range = KeyRange::all();
        loop {
            let scan = Scan::forward(range.clone(), ScanLimit::entries(STEP_ITEMS));
            let page = self.view.scan(self.shard(), ITEMS, &scan).await?;
            let mut wanted = ItemEntries::new();
            let last = page.entries.last().map(|entry| entry.key.clone());
            for entry in page.entries {
                wanted.extend(self.check_item(entry, &mut expected));
            }
            // One multi-get per space for all items of a step, instead of one get per entry.
            self.compare(wanted, &mut expected).await?;
            (self.progress)(self.done.clone());
            match last {
                Some(last) if page.more => range = range.after(last, Direction::Forward),
                _ => return Ok(expected),
            }
        }
    }

    /// Checks one item by itself and returns the entries it needs.
    fn check_item(&mut self, entry: Entry, expected: &mut ExpectedEntries) -> ItemEntries {
        self.done.items_done += 1;
        // Counted before it is decoded: a damaged item is an item, and the counters must say so.
        expected.items += 1;
        let Some(key) = ItemKey::decode(entry.key.clone(), self.container.identity.levels()) else {
            self.find(format!("an item key of {} bytes is damaged", entry.key.len()));
            return ItemEntries::new();
        };
        let record = match ItemRecord::decode(entry.value) {
            Ok(record) => record,
            Err(error) => {
                self.find(format!("item '{}': {error}", key.id()));
                return ItemEntries::new();
            }
        };
        expected.item_bytes += record.body_len() as u64;
        self.check_record(&key, &record);
        // In the middle of a rebuild, items on both sides of its cursor follow different policies.
        let layout = self.state.layout_at(key.as_bytes());
        match entries_of(self.compiled, layout, &key, &record) {
            Ok(entries) => entries,
            Err(error) => {
                self.find(format!("item '{}': {error}", key.id()));
                ItemEntries::new()
            }
        }
    }

    fn check_record(&mut self, key: &ItemKey, record: &ItemRecord) {
        let position = record.header.position;
        // Zero would be a record that the commit has not stamped.
        if position.lsn.0 == 0 || position.lsn > self.newest {
            let newest = self.newest.0;
            self.find(format!(
                "item '{}' has lsn {}, the newest is {newest}",
                key.id(),
                position.lsn.0
            ));
        }
        if !self.partition.range.contains(&key.epk()) {
            self.find(format!("item '{}' lies outside the range of its partition", key.id()));
        }
        let Ok(item) = record.parse() else { return };
        if item.get("id").and_then(model::Json::as_str) != Some(key.id()) {
            self.find(format!("item '{}' contains another id", key.id()));
        }
        let definition = &self.container.identity.definition;
        if key.partition_key() != definition.extract(&item) {
            self.find(format!("item '{}' contains another partition key than its key", key.id()));
        }
        let own = u64::from(self.partition.identity.number);
        // Only ordinals of this partition's own number can be compared; others come from before a split or merge.
        if position.ordinal >> 40 == own && position.ordinal & ((1 << 40) - 1) > self.state.created
        {
            self.find(format!("item '{}' has an ordinal that was not assigned yet", key.id()));
        }
    }

    async fn compare(&mut self, wanted: ItemEntries, expected: &mut ExpectedEntries) -> Result<()> {
        let mut by_space: BTreeMap<Space, Vec<(StorageKey, storage::StorageValue)>> =
            BTreeMap::new();
        for ((space, key), value) in wanted {
            if space == TERMS && is_shape_paths(&key) {
                expected.shapes.insert(key.clone());
            } else {
                *expected.entries.entry(space).or_default() += 1;
            }
            by_space.entry(space).or_default().push((key, value));
        }
        for (space, entries) in by_space {
            let keys: Vec<_> = entries.iter().map(|(key, _)| key.clone()).collect();
            let stored = self.view.get_many(self.shard(), space, &keys).await?;
            for ((key, value), stored) in entries.into_iter().zip(stored) {
                match stored {
                    None => self.find(format!(
                        "an entry is missing in space {}: {}",
                        space.name,
                        hex(&key)
                    )),
                    Some(stored) if stored != value => {
                        self.find(format!(
                            "an entry differs in space {}: {}",
                            space.name,
                            hex(&key)
                        ));
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }
}

/// The beginning of a key in hexadecimal.
pub(crate) fn hex(key: &[u8]) -> String {
    let shown = key.iter().take(48).map(|byte| format!("{byte:02x}")).collect::<String>();
    if key.len() > 48 { format!("{shown}...") } else { shown }
}
