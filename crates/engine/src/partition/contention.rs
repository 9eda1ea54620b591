//! Who else writes to a logical partition while a transaction is built outside of the writer.
//!
//! Owns the counters of changes that such a transaction compares before it is committed, and the reservation that makes
//! others wait for one that was changed too often. Does not own the transaction: see `script`. An epk stands for its
//! logical partition; two of them that share an epk only wait for each other more often.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::EffectivePartitionKey;
use storage::StorageKey;
use tokio::sync::Notify;

use super::map::PublishedState;
use crate::key_layout::ItemKeyView;

/// The watched logical partitions of one physical partition.
#[derive(Debug, Default)]
pub(crate) struct Contention {
    /// Counts the times that the writer has read its state again, when it gives out reserved numbers once more.
    epoch: AtomicU64,
    /// Entries, and reserved ones. Read without the lock by every write, and nearly always zero.
    watched: AtomicUsize,
    reserved: AtomicUsize,
    entries: Mutex<HashMap<Vec<u8>, WatchedKey>>,
    released: Notify,
}

#[derive(Debug, Default)]
struct WatchedKey {
    watchers: usize,
    changes: u64,
    is_reserved: bool,
}

/// What a transaction has seen of its logical partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WatchPosition {
    pub(crate) epoch: u64,
    pub(crate) changes: u64,
}

/// A watched logical partition. While it lives, changes are counted.
#[derive(Debug)]
pub(crate) struct PartitionWatch {
    published: Arc<PublishedState>,
    epk: Vec<u8>,
    has_reserved: bool,
}

impl Contention {
    /// Counts the changes of a commit, before it is answered.
    pub(super) fn record(&self, touched: &[Vec<StorageKey>]) {
        if self.watched.load(Ordering::SeqCst) == 0 {
            return;
        }
        let mut entries = self.lock();
        for key in touched.iter().flatten() {
            let epk = ItemKeyView::checked(key, 0).epk();
            if let Some(entry) = entries.get_mut(epk.as_bytes()) {
                entry.changes += 1;
            }
        }
    }

    /// Makes every position out of date.
    pub(super) fn invalidate(&self) {
        self.epoch.fetch_add(1, Ordering::SeqCst);
    }

    /// Waits while somebody else has reserved a logical partition.
    pub(crate) async fn wait_until_free(&self, epk: &EffectivePartitionKey) {
        while self.reserved.load(Ordering::SeqCst) > 0 {
            let released = self.released.notified();
            // After `notified` was created: a release between the check and the wait is not missed.
            if !self.lock().get(epk.as_bytes()).is_some_and(|entry| entry.is_reserved) {
                return;
            }
            released.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Vec<u8>, WatchedKey>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartitionWatch {
    pub(crate) fn new(published: &Arc<PublishedState>, epk: &EffectivePartitionKey) -> Self {
        let contention = &published.contention;
        let mut entries = contention.lock();
        entries.entry(epk.as_bytes().to_vec()).or_default().watchers += 1;
        contention.watched.store(entries.len(), Ordering::SeqCst);
        drop(entries);
        let (published, epk) = (Arc::clone(published), epk.as_bytes().to_vec());
        Self { published, epk, has_reserved: false }
    }

    /// What was seen so far. Taken before a snapshot: whatever the snapshot misses is counted after it.
    pub(crate) fn position(&self) -> WatchPosition {
        let contention = &self.published.contention;
        let changes = contention.lock().get(&self.epk).map_or(0, |entry| entry.changes);
        WatchPosition { epoch: contention.epoch.load(Ordering::SeqCst), changes }
    }

    /// Makes writes of others wait until this watch ends.
    pub(crate) async fn reserve(&mut self) {
        loop {
            let contention = &self.published.contention;
            let released = contention.released.notified();
            if let Some(entry) = contention.lock().get_mut(&self.epk)
                && !entry.is_reserved
            {
                entry.is_reserved = true;
                contention.reserved.fetch_add(1, Ordering::SeqCst);
                self.has_reserved = true;
                return;
            }
            released.await;
        }
    }
}

impl Drop for PartitionWatch {
    fn drop(&mut self) {
        let contention = &self.published.contention;
        let mut entries = contention.lock();
        if let Some(entry) = entries.get_mut(&self.epk) {
            entry.watchers -= 1;
            if self.has_reserved {
                entry.is_reserved = false;
                contention.reserved.fetch_sub(1, Ordering::SeqCst);
            }
            if entry.watchers == 0 {
                entries.remove(&self.epk);
            }
        }
        contention.watched.store(entries.len(), Ordering::SeqCst);
        drop(entries);
        contention.released.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use model::PartitionKey;

    use super::*;
    use crate::key_layout::ItemKey;

    #[test]
    fn only_changes_of_a_watched_logical_partition_are_counted() {
        let published = Arc::new(PublishedState::default());
        let epk = |byte: u8| EffectivePartitionKey::from_bytes(vec![byte; 16]);
        let key =
            |byte: u8| ItemKey::new(&epk(byte), &PartitionKey::from("x"), "id").as_bytes().clone();
        let watch = PartitionWatch::new(&published, &epk(1));
        let before = watch.position();
        published.contention.record(&[vec![key(2)]]);
        assert_eq!(watch.position(), before);
        published.contention.record(&[vec![key(1)]]);
        assert_eq!(watch.position().changes, before.changes + 1);
        published.contention.invalidate();
        assert_eq!(watch.position().epoch, before.epoch + 1);
        drop(watch);
        assert!(published.contention.lock().is_empty());
    }
}
