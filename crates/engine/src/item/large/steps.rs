//! Steps that remove many items: those of a logical partition, and those that have expired.
//!
//! Owns preparing the removal of a large item for them. Does not own the steps.

use super::look::PreparationBasis;
use super::prepare::PreparationTurns;
use crate::error::{Error, Result};
use crate::key_layout::ItemKey;
use crate::transaction::Preparations;

/// Prepares the removal of every item that was looked at. A step removes some of them, as its own rules say.
pub(crate) fn prepare_removals(
    basis: &PreparationBasis,
    turns: &PreparationTurns,
) -> Result<Preparations> {
    let mut prepared = Preparations::default();
    let levels = basis.container.identity.levels();
    for (key, item) in &basis.seen.items {
        turns.next()?;
        let key = ItemKey::decode(key.clone(), levels)
            .ok_or_else(|| Error::corrupt("a stored item key is damaged"))?;
        if let Some(removal) = item.removal(&key, &basis.seen)? {
            prepared.insert_removal(&key, removal);
        }
    }
    Ok(prepared)
}
