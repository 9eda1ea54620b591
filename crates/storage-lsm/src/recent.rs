//! Values that were read lately, in front of the tree: finding one here costs a twentieth of finding it there.
//!
//! Owns a bounded number of values by key, and the rule for using one. Batches are numbered. A batch takes its keys out
//! before it writes, and leaves its number where they were; a reader knows the last batch that was visible when it took
//! its view. A reader puts a value in only where no later batch has left its number, and takes one out only when the
//! value is no younger than its view. So what is here is what the tree would say to that view. Does not own the tree.

use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use storage::{Space, StorageValue};

const SLOTS: usize = 1024;
/// Keys remembered in each slot that were asked for once: only the second time a value is worth its copy.
const ASKED_MAX: usize = 8;
/// What an entry takes besides its key and its value, roughly.
const ENTRY_BYTES: usize = 128;

/// Values by key.
pub(crate) struct Recent {
    slots: Vec<Mutex<Slot>>,
    slot_bytes_max: usize,
    hashes: RandomState,
    /// The last batch that every new view sees.
    visible: AtomicU64,
}

/// The last batch that a view sees for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SeenBatch(u64);

/// A key of the tree, hashed once.
pub(crate) struct HashedKey<'key> {
    hash: u64,
    space: u8,
    key: &'key [u8],
}

/// Keys with the same part of their hash.
#[derive(Default)]
struct Slot {
    /// The last batch that wrote or is about to write one of the keys.
    written_by: u64,
    /// The oldest first.
    entries: VecDeque<Entry>,
    bytes: usize,
    asked: [u64; ASKED_MAX],
    asked_next: usize,
}

struct Entry {
    hash: u64,
    space: u8,
    key: Box<[u8]>,
    value: StorageValue,
    /// Views that see this batch see this value.
    since: u64,
}

impl Recent {
    pub(crate) fn new(bytes_max: u64) -> Self {
        let slot_bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX) / SLOTS;
        Self {
            slots: (0..SLOTS).map(|_| Mutex::default()).collect(),
            slot_bytes_max,
            hashes: RandomState::default(),
            visible: AtomicU64::new(0),
        }
    }

    /// To be asked before a view is taken.
    pub(crate) fn seen(&self) -> SeenBatch {
        SeenBatch(self.visible.load(Ordering::Acquire))
    }

    /// The value of a key of the tree in a view, if it is here.
    pub(crate) fn get(&self, seen: SeenBatch, key: &HashedKey<'_>) -> Option<StorageValue> {
        let slot = self.slot(key.hash)?;
        let entry = slot.entries.iter().find(|entry| entry.is(key))?;
        (entry.since <= seen.0).then(|| entry.value.clone())
    }

    /// Offers what a view says of a key that is not here.
    pub(crate) fn offer(&self, seen: SeenBatch, key: &HashedKey<'_>, value: &StorageValue) {
        let HashedKey { hash, space, key: name } = *key;
        let bytes = ENTRY_BYTES + name.len() + value.len();
        if bytes > self.slot_bytes_max / 2 {
            return;
        }
        let Some(mut slot) = self.slot(hash) else { return };
        if slot.written_by > seen.0 || !slot.is_asked_again(hash) {
            return;
        }
        // An entry of this key would be one that this view is too old for.
        if slot.entries.iter().any(|entry| entry.is(key)) {
            return;
        }
        slot.bytes += bytes;
        while slot.bytes > self.slot_bytes_max {
            let Some(oldest) = slot.entries.pop_front() else { break };
            slot.bytes -= oldest.bytes();
        }
        // A copy: the value itself may keep a whole block in memory.
        let value = StorageValue::from_owner(Box::<[u8]>::from(value.as_ref()));
        let since = slot.written_by;
        slot.entries.push_back(Entry { hash, space, key: name.into(), value, since });
    }

    /// The number of the next batch. One thread writes, so there is one at a time.
    pub(crate) fn next_batch(&self) -> u64 {
        self.visible.load(Ordering::Acquire) + 1
    }

    /// Takes out a key that a batch is about to write.
    pub(crate) fn written(&self, batch: u64, space: Space, key: &[u8]) {
        let key = self.hashed(space, key);
        let Some(mut slot) = self.slot(key.hash) else { return };
        slot.written_by = batch;
        let place = slot.entries.iter().position(|entry| entry.is(&key));
        if let Some(entry) = place.and_then(|place| slot.entries.remove(place)) {
            slot.bytes -= entry.bytes();
        }
    }

    /// Every view from now on sees a batch.
    pub(crate) fn is_visible(&self, batch: u64) {
        self.visible.store(batch, Ordering::Release);
    }

    /// A key of the tree as it is looked for here.
    pub(crate) fn hashed<'key>(&self, space: Space, key: &'key [u8]) -> HashedKey<'key> {
        let hash = self.hashes.hash_one((space.number, key));
        HashedKey { hash, space: space.number, key }
    }

    fn slot(&self, hash: u64) -> Option<MutexGuard<'_, Slot>> {
        let place = usize::try_from(hash % SLOTS as u64).ok()?;
        Some(self.slots.get(place)?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Slot {
    fn is_asked_again(&mut self, hash: u64) -> bool {
        if self.asked.contains(&hash) {
            return true;
        }
        if let Some(place) = self.asked.get_mut(self.asked_next) {
            *place = hash;
        }
        self.asked_next = (self.asked_next + 1) % ASKED_MAX;
        false
    }
}

impl Entry {
    fn is(&self, key: &HashedKey<'_>) -> bool {
        self.hash == key.hash && self.space == key.space && *self.key == *key.key
    }

    fn bytes(&self) -> usize {
        ENTRY_BYTES + self.key.len() + self.value.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACE: Space = Space { name: "space", number: 3 };
    const OTHER: Space = Space { name: "other", number: 4 };

    fn value(text: &'static str) -> StorageValue {
        StorageValue::from_static(text.as_bytes())
    }

    fn offer_twice(recent: &Recent, seen: SeenBatch, text: &'static str) {
        recent.offer(seen, &recent.hashed(SPACE, b"key"), &value(text));
        recent.offer(seen, &recent.hashed(SPACE, b"key"), &value(text));
    }

    fn write(recent: &Recent) {
        let batch = recent.next_batch();
        recent.written(batch, SPACE, b"key");
        recent.is_visible(batch);
    }

    #[test]
    fn a_value_is_kept_when_it_is_offered_again() {
        let recent = Recent::new(1 << 20);
        let seen = recent.seen();
        recent.offer(seen, &recent.hashed(SPACE, b"key"), &value("a"));
        assert_eq!(recent.get(seen, &recent.hashed(SPACE, b"key")), None);
        recent.offer(seen, &recent.hashed(SPACE, b"key"), &value("a"));
        assert_eq!(recent.get(seen, &recent.hashed(SPACE, b"key")), Some(value("a")));
        assert_eq!(recent.get(seen, &recent.hashed(OTHER, b"key")), None);
        assert_eq!(recent.get(seen, &recent.hashed(SPACE, b"ke")), None);
    }

    #[test]
    fn a_write_takes_the_value_out_before_it_is_visible() {
        let recent = Recent::new(1 << 20);
        let seen = recent.seen();
        offer_twice(&recent, seen, "a");
        recent.written(recent.next_batch(), SPACE, b"key");
        assert_eq!(recent.get(seen, &recent.hashed(SPACE, b"key")), None);
    }

    #[test]
    fn an_old_view_puts_nothing_in_and_takes_nothing_younger_out() {
        let recent = Recent::new(1 << 20);
        let old = recent.seen();
        let batch = recent.next_batch();
        recent.written(batch, SPACE, b"key");
        // The tree has the write, but it is not known to be visible yet: a view taken now may be either.
        let during = recent.seen();
        offer_twice(&recent, during, "a");
        recent.is_visible(batch);
        offer_twice(&recent, old, "a");
        assert_eq!(recent.get(recent.seen(), &recent.hashed(SPACE, b"key")), None);
        let new = recent.seen();
        offer_twice(&recent, new, "b");
        assert_eq!(recent.get(new, &recent.hashed(SPACE, b"key")), Some(value("b")));
        assert_eq!(recent.get(old, &recent.hashed(SPACE, b"key")), None);
        assert_eq!(recent.get(during, &recent.hashed(SPACE, b"key")), None);
    }

    #[test]
    fn writes_of_other_keys_leave_a_value_for_the_views_that_had_it() {
        let recent = Recent::new(1 << 20);
        let seen = recent.seen();
        offer_twice(&recent, seen, "a");
        let batch = recent.next_batch();
        for number in 0..100_000_u32 {
            recent.written(batch, SPACE, &number.to_be_bytes());
        }
        assert_eq!(recent.get(seen, &recent.hashed(SPACE, b"key")), Some(value("a")));
        recent.is_visible(batch);
        assert_eq!(recent.get(recent.seen(), &recent.hashed(SPACE, b"key")), Some(value("a")));
        write(&recent);
        assert_eq!(recent.get(recent.seen(), &recent.hashed(SPACE, b"key")), None);
    }

    #[test]
    fn memory_is_bounded() {
        let recent = Recent::new(SLOTS as u64 * 1024);
        let seen = recent.seen();
        let large = StorageValue::from(vec![1; 600]);
        for number in 0..20_000_u32 {
            let key = number.to_be_bytes();
            let value = if number % 2 == 0 { value("small") } else { large.clone() };
            recent.offer(seen, &recent.hashed(SPACE, &key), &value);
            recent.offer(seen, &recent.hashed(SPACE, &key), &value);
        }
        let (mut bytes, mut entries) = (0, 0);
        for slot in &recent.slots {
            let slot = slot.lock().unwrap();
            assert_eq!(slot.bytes, slot.entries.iter().map(Entry::bytes).sum::<usize>());
            bytes += slot.bytes;
            entries += slot.entries.len();
        }
        assert!(bytes <= SLOTS * 1024 && entries > SLOTS, "{bytes} {entries}");
        assert_eq!(
            recent.get(seen, &recent.hashed(SPACE, &1_u32.to_be_bytes())),
            None,
            "too large to be kept"
        );
    }
}
