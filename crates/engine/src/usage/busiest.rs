//! The busiest logical partitions of a container, in bounded memory.
//!
//! Owns a table of a fixed number of places, kept by the method "space saving" in sets of a few ways: a logical
//! partition that has no place takes the one that was spent least in its set, and inherits that amount as its possible
//! excess. So a count is never too low by more than what was spent before the place was taken, never too high by more
//! than the excess shown with it, and a logical partition with more than 1/8 of what its set (1/64 of all, by hash) has
//! seen is always in the table. Counting one that has a place takes no lock.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use model::RequestCharge;
use storage::StorageKey;

const SETS: usize = 64;
const WAYS: usize = 8;

/// The table of one container; it takes memory from its first use on.
#[derive(Debug, Default)]
pub(crate) struct Busiest {
    sets: OnceLock<Box<[Set]>>,
}

#[derive(Debug, Default)]
struct Set {
    places: [Place; WAYS],
    /// Which logical partition has each place, empty while it is free; locked to give places away. Room is used again,
    /// so that giving away a place asks for no memory.
    names: Mutex<[Vec<u8>; WAYS]>,
}

#[derive(Debug, Default)]
struct Place {
    /// Zero while it is free.
    hash: AtomicU64,
    parts: AtomicU64,
    excess_parts: AtomicU64,
    requests: AtomicU64,
    throttled: AtomicU64,
}

/// One logical partition of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Busy {
    /// The bytes every key of the logical partition begins with.
    pub(crate) partition: Vec<u8>,
    pub(crate) charge: RequestCharge,
    /// How much of the charge may belong to others.
    pub(crate) excess: RequestCharge,
    pub(crate) requests: u64,
    pub(crate) throttled: u64,
}

/// The logical partition of a key: the key, and how many of its bytes name the partition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Logical<'a> {
    pub(crate) key: &'a StorageKey,
    pub(crate) bytes: usize,
}

impl<'a> Logical<'a> {
    fn name(self) -> &'a [u8] {
        self.key.get(..self.bytes).unwrap_or_default()
    }

    /// Mixed to the last bit: the set is chosen by a few bits in the middle.
    fn hash(self) -> u64 {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        let bytes = self.name();
        let mut hash = bytes.len() as u64;
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            if let Some(place) = word.get_mut(..chunk.len()) {
                place.copy_from_slice(chunk);
            }
            hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(ODD).rotate_left(29);
        }
        hash = (hash ^ (hash >> 32)).wrapping_mul(ODD);
        (hash ^ (hash >> 29)).max(1)
    }
}

impl Busiest {
    pub(crate) fn spent(&self, logical: Logical<'_>, charge: RequestCharge) {
        let parts = charge.parts();
        self.count(logical, parts, |place| {
            place.parts.fetch_add(parts, Relaxed);
            place.requests.fetch_add(1, Relaxed);
        });
    }

    pub(crate) fn throttled(&self, logical: Logical<'_>) {
        self.count(logical, 0, |place| {
            place.throttled.fetch_add(1, Relaxed);
        });
    }

    fn count(&self, logical: Logical<'_>, parts: u64, add: impl Fn(&Place)) {
        let hash = logical.hash();
        let sets = self.sets.get_or_init(|| (0..SETS).map(|_| Set::default()).collect());
        let Some(set) = sets.get((hash >> 32) as usize % SETS) else { return };
        match set.places.iter().find(|place| place.hash.load(Relaxed) == hash) {
            Some(place) => add(place),
            // What is free of charge takes nobody's place.
            None if parts == 0 => {}
            None => set.take_place(hash, logical, &add),
        }
    }

    /// All logical partitions of the table, the busiest first.
    pub(crate) fn all(&self) -> Vec<Busy> {
        let sets = self.sets.get().map_or(&[][..], |sets| sets);
        let mut all: Vec<Busy> = sets.iter().flat_map(Set::all).collect();
        all.sort_by(|left, right| {
            right.charge.cmp(&left.charge).then_with(|| left.partition.cmp(&right.partition))
        });
        all
    }
}

impl Set {
    fn take_place(&self, hash: u64, logical: Logical<'_>, add: &impl Fn(&Place)) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = self.places.iter().find(|place| place.hash.load(Relaxed) == hash) {
            return add(place);
        }
        let least =
            self.places.iter().zip(names.iter_mut()).min_by_key(|(place, _)| {
                (place.hash.load(Relaxed) != 0, place.parts.load(Relaxed))
            });
        let Some((place, name)) = least else { return };
        place.excess_parts.store(place.parts.load(Relaxed), Relaxed);
        place.requests.store(0, Relaxed);
        place.throttled.store(0, Relaxed);
        name.clear();
        name.extend_from_slice(logical.name());
        place.hash.store(hash, Relaxed);
        add(place);
    }

    fn all(&self) -> Vec<Busy> {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = self.places.iter().zip(names.iter());
        taken
            .filter_map(|(place, name)| {
                Some(Busy {
                    partition: (!name.is_empty()).then(|| name.clone())?,
                    charge: RequestCharge::from_parts(place.parts.load(Relaxed)),
                    excess: RequestCharge::from_parts(place.excess_parts.load(Relaxed)),
                    requests: place.requests.load(Relaxed),
                    throttled: place.throttled.load(Relaxed),
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spend(table: &Busiest, name: &str, units: u64) {
        let key = StorageKey::copy_from_slice(name.as_bytes());
        let bytes = key.len();
        table.spent(Logical { key: &key, bytes }, RequestCharge::from_parts(units));
    }

    #[test]
    fn few_are_counted_exactly() {
        let table = Busiest::default();
        for (name, units) in [("a", 5), ("b", 50), ("a", 6), ("c", 1)] {
            spend(&table, name, units);
        }
        let all = table.all();
        let seen: Vec<_> =
            all.iter().map(|busy| (&busy.partition[..], busy.charge.parts())).collect();
        assert_eq!(seen, [(&b"b"[..], 50), (b"a", 11), (b"c", 1)]);
        assert!(all.iter().all(|busy| busy.excess == RequestCharge::ZERO));
        assert_eq!(all[1].requests, 2);
    }

    #[test]
    fn a_hot_one_among_many_is_found_within_its_excess() {
        let table = Busiest::default();
        for round in 0..20_000_u64 {
            spend(&table, &format!("cold {round}"), 1);
            if round % 10 == 0 {
                spend(&table, "hot", 1);
            }
        }
        let all = table.all();
        assert_eq!(all.len(), SETS * WAYS, "memory is bounded");
        let hot = &all[0];
        assert_eq!(&hot.partition[..], b"hot");
        let (charge, excess) = (hot.charge.parts(), hot.excess.parts());
        assert!(charge >= 2_000 && charge - excess <= 2_000, "{charge} {excess}");
    }
}
