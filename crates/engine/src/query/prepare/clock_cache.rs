//! A bounded cache that evicts one entry at a time.
//!
//! Owns the second-chance policy: entries wait in a ring, and one that was used since it was last considered goes to
//! the end of the ring instead. So texts that repeat stay, while many texts that come once push out only each other.
//! Does not own locking.

use std::borrow::Borrow;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// A cache of at most a fixed number of entries.
#[derive(Debug)]
pub(super) struct ClockCache<K, V> {
    entries: HashMap<K, ClockEntry<V>>,
    /// The keys, the next one to be considered for eviction first.
    ring: VecDeque<K>,
    entries_max: usize,
}

#[derive(Debug)]
struct ClockEntry<V> {
    value: V,
    /// Whether it was used since it was last considered for eviction.
    is_used: bool,
}

impl<K: Clone + Eq + Hash, V> ClockCache<K, V> {
    pub(super) fn new(entries_max: usize) -> Self {
        Self { entries: HashMap::new(), ring: VecDeque::new(), entries_max }
    }

    /// The value of a key, which counts as a use.
    pub(super) fn get<Q>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let entry = self.entries.get_mut(key)?;
        entry.is_used = true;
        Some(&entry.value)
    }

    /// Adds or replaces a value.
    pub(super) fn insert(&mut self, key: K, value: V) {
        if let Some(known) = self.entries.get_mut(&key) {
            known.value = value;
            return;
        }
        if self.entries.len() >= self.entries_max {
            self.evict();
        }
        self.ring.push_back(key.clone());
        self.entries.insert(key, ClockEntry { value, is_used: false });
    }

    fn evict(&mut self) {
        // Ends after at most one turn: every entry that is passed over loses its mark.
        while let Some(key) = self.ring.pop_front() {
            match self.entries.get_mut(&key) {
                Some(entry) if entry.is_used => {
                    entry.is_used = false;
                    self.ring.push_back(key);
                }
                _ => {
                    self.entries.remove(&key);
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_entry_is_evicted_and_one_in_use_stays() {
        let mut cache = ClockCache::new(3);
        for key in ["a", "b", "c"] {
            cache.insert(key, key.to_uppercase());
        }
        assert_eq!(cache.get("a").map(String::as_str), Some("A"));
        cache.insert("d", "D".to_owned());
        assert_eq!(cache.get("b"), None, "the oldest entry that was not used goes");
        assert!(["a", "c", "d"].into_iter().all(|key| cache.get(key).is_some()));
    }

    #[test]
    fn texts_that_come_once_do_not_push_out_one_that_repeats() {
        let mut cache = ClockCache::new(4);
        cache.insert(0, ());
        for key in 1..1000 {
            assert!(cache.get(&0).is_some(), "gone before {key}");
            cache.insert(key, ());
        }
        assert_eq!(cache.entries.len(), 4);
        assert_eq!(cache.ring.len(), 4);
    }

    #[test]
    fn a_full_cache_of_used_entries_still_takes_one() {
        let mut cache = ClockCache::new(2);
        cache.insert(1, "one");
        cache.insert(2, "two");
        assert!(cache.get(&1).is_some() && cache.get(&2).is_some());
        cache.insert(3, "three");
        assert_eq!(cache.get(&3), Some(&"three"));
        cache.insert(3, "again");
        assert_eq!(cache.get(&3), Some(&"again"));
    }
}
