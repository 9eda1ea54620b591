//! The entries that list items in the order of creation.
//!
//! Owns when they are written and removed: with the item, also if it has no terms. Does not own the listing of the
//! items of an older store: see `maintenance`.

use super::item_transaction::ItemTransaction;
use crate::key_layout::{ItemKey, TERMS, creation_keys};
use crate::record::ItemRecord;

impl ItemTransaction<'_> {
    /// Lists a new item, or one that was renamed. Any other write changes nothing: an item keeps its ordinal for life.
    pub(super) fn write_listing(
        &mut self,
        old_key: &ItemKey,
        key: &ItemKey,
        previous: Option<&ItemRecord>,
        record: &ItemRecord,
    ) {
        if let Some(previous) = previous {
            if old_key == key {
                return;
            }
            self.unlist(old_key, previous);
        }
        self.list(key, record);
    }

    /// Lists an item. One that the listing of an older store has not reached yet is left to it.
    pub(crate) fn list(&mut self, key: &ItemKey, record: &ItemRecord) {
        if self.state.is_listed(key.as_bytes()) {
            let listed = creation_keys(key, record.header.position.ordinal);
            self.set.put(TERMS, listed.local, key.id_bytes());
            self.set.put(TERMS, listed.global, key.as_bytes().clone());
        }
    }

    pub(super) fn unlist(&mut self, key: &ItemKey, record: &ItemRecord) {
        if self.state.is_listed(key.as_bytes()) {
            let listed = creation_keys(key, record.header.position.ordinal);
            self.set.remove(TERMS, listed.local);
            self.set.remove(TERMS, listed.global);
        }
    }
}
