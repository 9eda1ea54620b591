//! Loads the items that index terms point to.
//!
//! Decides for each term whether its values suffice or the item must be loaded, and loads items with few calls per
//! shard.

use std::collections::BTreeMap;

use storage::{Shard, StorageKey};

use super::candidate::ItemContent;
use super::expired_items::ExpiredItems;
use super::index_values::IndexValues;
use super::page_reader::PageReader;
use crate::error::Result;
use crate::key_layout::TermHit;
use crate::record::ItemRecord;

/// Turns terms into item contents.
#[derive(Default)]
pub(super) struct ItemLoader {
    /// Decodes items from terms, if terms contain everything the query uses.
    values: Option<IndexValues>,
    expired: ExpiredItems,
}

impl ItemLoader {
    pub(super) fn new(values: Option<IndexValues>) -> Self {
        Self { values, expired: ExpiredItems::default() }
    }

    /// The content of each term, in order; `None` for items that were deleted or have expired. Takes the item keys out
    /// of the hits.
    pub(super) async fn load_contents(
        &mut self,
        reader: &mut PageReader,
        hits: &mut [(Shard, TermHit)],
    ) -> Result<Vec<Option<ItemContent>>> {
        // Usual case: nothing comes from the index and all hits are in one shard, so no bookkeeping is needed.
        if self.values.is_none()
            && let Some((shard, _)) = hits.first().filter(|(first, _)| all_in_shard(hits, *first))
        {
            return load_all(reader, *shard, hits).await;
        }
        let mut contents: Vec<Option<ItemContent>> = Vec::with_capacity(hits.len());
        let mut missing: BTreeMap<Shard, (Vec<usize>, Vec<StorageKey>)> = BTreeMap::new();
        for (index, (shard, hit)) in hits.iter_mut().enumerate() {
            let indexed = self.values.as_ref().and_then(|values| values.decode_item(&hit.value));
            let content = match indexed {
                // Terms of an expired item exist until the sweep removes it.
                Some(item) if self.expired.check_alive(reader, *shard, hit.ordinal).await? => {
                    Some(ItemContent::Indexed(item))
                }
                _ => {
                    let (indexes, keys) = missing.entry(*shard).or_default();
                    indexes.push(index);
                    // The key is not needed again; taking it avoids a clone per item. Value and ordinal stay for the
                    // position.
                    keys.push(std::mem::take(&mut hit.key));
                    None
                }
            };
            contents.push(content);
        }
        // Results go back to the places they came from: the order of the terms is the order of the page.
        for (shard, (indexes, keys)) in missing {
            // Load large items in small batches to bound memory.
            let batch_size = reader.batch_size(keys.len());
            for (indexes, keys) in indexes.chunks(batch_size).zip(keys.chunks(batch_size)) {
                let records = reader.load(shard, keys).await?;
                for (index, record) in indexes.iter().zip(records) {
                    if let Some(content) = contents.get_mut(*index) {
                        *content = record.map(ItemContent::Record);
                    }
                }
            }
        }
        Ok(contents)
    }

    /// Loads the records of terms, even if the terms contain everything the query uses.
    pub(super) async fn load_records(
        &mut self,
        reader: &mut PageReader,
        shard: Shard,
        hits: &[TermHit],
    ) -> Result<Vec<Option<ItemRecord>>> {
        let keys: Vec<StorageKey> = hits.iter().map(|hit| hit.key.clone()).collect();
        reader.load(shard, &keys).await
    }
}

/// Whether all terms are in one shard.
fn all_in_shard(hits: &[(Shard, TermHit)], shard: Shard) -> bool {
    hits.iter().all(|(other, _)| *other == shard)
}

/// Loads the items of all terms, which are in one shard.
async fn load_all(
    reader: &mut PageReader,
    shard: Shard,
    hits: &mut [(Shard, TermHit)],
) -> Result<Vec<Option<ItemContent>>> {
    let keys: Vec<StorageKey> =
        hits.iter_mut().map(|(_, hit)| std::mem::take(&mut hit.key)).collect();
    let mut contents = Vec::with_capacity(keys.len());
    for keys in keys.chunks(reader.batch_size(keys.len())) {
        let records = reader.load(shard, keys).await?;
        contents.extend(records.into_iter().map(|record| record.map(ItemContent::Record)));
    }
    Ok(contents)
}
