//! From terms to candidates.
//!
//! Owns the decision, term by term, whether the item must be loaded, and the loading in one call per shard.

use std::collections::BTreeMap;

use storage::{Shard, StorageKey};

use super::candidate::Content;
use super::expired::Expired;
use super::index_values::IndexValues;
use super::reading::Reading;
use crate::error::Result;
use crate::item::ItemRecord;
use crate::key_layout::TermHit;

/// Makes contents of terms.
#[derive(Default)]
pub(super) struct Loading {
    /// What the terms hold, when that is all the query looks at.
    values: Option<IndexValues>,
    expired: Expired,
}

impl Loading {
    pub(super) fn new(values: Option<IndexValues>) -> Self {
        Self { values, expired: Expired::default() }
    }

    /// The content of each term, in order; none for items that are gone or expired. The keys of items that are loaded
    /// are taken out of their terms.
    pub(super) async fn contents(
        &mut self,
        reading: &mut Reading,
        hits: &mut [(Shard, TermHit)],
    ) -> Result<Vec<Option<Content>>> {
        if self.values.is_none()
            && let Some((shard, _)) = hits.first().filter(|(first, _)| is_of(hits, *first))
        {
            return all_loaded(reading, *shard, hits).await;
        }
        let mut contents: Vec<Option<Content>> = Vec::with_capacity(hits.len());
        let mut missing: BTreeMap<Shard, (Vec<usize>, Vec<StorageKey>)> = BTreeMap::new();
        for (place, (shard, hit)) in hits.iter_mut().enumerate() {
            let known = self.values.as_ref().and_then(|values| values.item(&hit.value));
            let known = match known {
                Some(item) if self.expired.is_alive(reading, *shard, hit.ordinal).await? => {
                    Some(Content::Indexed(item))
                }
                _ => {
                    let (places, keys) = missing.entry(*shard).or_default();
                    places.push(place);
                    keys.push(std::mem::take(&mut hit.key));
                    None
                }
            };
            contents.push(known);
        }
        for (shard, (places, keys)) in missing {
            // Large items come in small calls.
            let at_once = reading.batch_items(keys.len());
            for (places, keys) in places.chunks(at_once).zip(keys.chunks(at_once)) {
                let records = reading.load(shard, keys).await?;
                for (place, record) in places.iter().zip(records) {
                    if let Some(content) = contents.get_mut(*place) {
                        *content = record.map(Content::Record);
                    }
                }
            }
        }
        Ok(contents)
    }

    /// The records of some terms, whatever the terms hold.
    pub(super) async fn records(
        &mut self,
        reading: &mut Reading,
        shard: Shard,
        hits: &[TermHit],
    ) -> Result<Vec<Option<ItemRecord>>> {
        let keys: Vec<StorageKey> = hits.iter().map(|hit| hit.key.clone()).collect();
        reading.load(shard, &keys).await
    }
}

/// Whether all terms are of one shard.
fn is_of(hits: &[(Shard, TermHit)], shard: Shard) -> bool {
    hits.iter().all(|(other, _)| *other == shard)
}

/// The contents of terms of one shard that say nothing of their items: each place has a call's next record.
async fn all_loaded(
    reading: &mut Reading,
    shard: Shard,
    hits: &mut [(Shard, TermHit)],
) -> Result<Vec<Option<Content>>> {
    let keys: Vec<StorageKey> =
        hits.iter_mut().map(|(_, hit)| std::mem::take(&mut hit.key)).collect();
    let mut contents = Vec::with_capacity(keys.len());
    for keys in keys.chunks(reading.batch_items(keys.len())) {
        let records = reading.load(shard, keys).await?;
        contents.extend(records.into_iter().map(|record| record.map(Content::Record)));
    }
    Ok(contents)
}
