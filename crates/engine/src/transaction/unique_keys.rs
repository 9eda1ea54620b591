//! Unique keys inside a transaction: taken, released, refused.
//!
//! Owns the look-up of the item that holds a unique key and the writes that move it. Does not own the bytes of the keys
//! (`index`).

use model::Json;
use storage::{StorageKey, StorageValue};

use super::item_transaction::ItemTransaction;
use crate::error::{Error, ErrorKind};
use crate::index::unique_keys_of;
use crate::key_layout::{ItemKey, UNIQUE_KEYS};
use crate::partition::Abort;

impl ItemTransaction<'_> {
    /// Moves the unique keys of an item from its old state to its new one.
    pub(super) async fn write_unique_keys(
        &mut self,
        key: &ItemKey,
        old: Option<&Json>,
        new: &Json,
    ) -> Result<(), Abort> {
        let unique_keys = &self.context.compiled.properties.unique_keys;
        if unique_keys.is_empty() {
            return Ok(());
        }
        let new_keys = unique_keys_of(unique_keys, key, new);
        let old_keys = old.map_or_else(Vec::new, |old| unique_keys_of(unique_keys, key, old));
        self.write_unique_key_difference(key, old_keys, new_keys).await
    }

    /// The same for keys that are known.
    pub(super) async fn write_unique_key_difference(
        &mut self,
        key: &ItemKey,
        old_keys: Vec<StorageKey>,
        new_keys: Vec<StorageKey>,
    ) -> Result<(), Abort> {
        // A key that the item already holds needs no look-up, and would find the item itself.
        for unique in new_keys.iter().filter(|unique| !old_keys.contains(unique)) {
            if let Some(holder) = self.holder(unique).await? {
                self.expire_or_conflict(key, &holder).await?;
            }
        }
        // All checks come first: expiring a holder may itself release keys of this set, and the puts below must win.
        for unique in old_keys.into_iter().filter(|unique| !new_keys.contains(unique)) {
            self.set.remove(UNIQUE_KEYS, unique.clone());
            self.unique_keys.insert(unique, None);
        }
        for unique in new_keys {
            self.set.put(UNIQUE_KEYS, unique.clone(), key.id_bytes());
            self.unique_keys.insert(unique, Some(key.id_bytes()));
        }
        Ok(())
    }

    async fn holder(&self, unique: &StorageKey) -> Result<Option<StorageValue>, Abort> {
        if let Some(holder) = self.unique_keys.get(unique) {
            return Ok(holder.clone());
        }
        // Own writes were asked before: a key that this transaction has released is free for it, whatever the store
        // says.
        if self.context.pending.contains(unique) {
            return Err(Abort::Deferred);
        }
        let shard = self.context.partition.shard;
        Ok(self.context.store.get(shard, UNIQUE_KEYS, unique).await?)
    }

    /// Expires the holder of a unique key if its time to live has ended; otherwise the key is a conflict.
    async fn expire_or_conflict(
        &mut self,
        key: &ItemKey,
        holder: &StorageValue,
    ) -> Result<(), Abort> {
        let id = String::from_utf8_lossy(holder).into_owned();
        let other = key.partition().item(&id);
        if other == *key {
            return Ok(());
        }
        match self.current(&other).await? {
            // The holder has expired, and `current` has just removed it together with its unique keys.
            None => Ok(()),
            Some(_) => Err(Abort::Failed(Error::new(
                ErrorKind::Conflict,
                format!(
                    "Entity with the specified id already exists in the system. A unique key is taken by item '{id}'."
                ),
            ))),
        }
    }
}
