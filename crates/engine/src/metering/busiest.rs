//! The busiest logical partitions of a container, in bounded memory.
//!
//! Owns a table with a fixed number of slots, kept by the space-saving algorithm in sets of a few ways: a logical
//! partition without a slot replaces the one of its set with the lowest charge, and inherits that charge as its
//! possible excess. A charge is therefore never too low by more than what was spent before the slot was taken, and
//! never too high by more than the excess shown with it. A logical partition with more than 1/8 of the charge of its
//! set (1/64 of all partitions, by hash) is always in the table. Counting one that has a slot takes no lock.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use model::RequestCharge;

use crate::key_layout::LogicalPartitionRef;

// 512 slots: a few tens of kilobytes per container that has traffic.
const SETS: usize = 64;
const WAYS: usize = 8;

/// The table of one container; allocated at its first use.
#[derive(Debug, Default)]
pub(crate) struct BusiestPartitions {
    sets: OnceLock<Box<[SlotSet]>>,
}

#[derive(Debug, Default)]
struct SlotSet {
    slots: [Slot; WAYS],
    /// The logical partition of each slot, empty while it is free. Locked to take a slot. The vectors are reused, so
    /// that taking a slot rarely allocates.
    names: Mutex<[Vec<u8>; WAYS]>,
}

#[derive(Debug, Default)]
struct Slot {
    /// Zero while the slot is free.
    hash: AtomicU64,
    parts: AtomicU64,
    excess_parts: AtomicU64,
    requests: AtomicU64,
    throttled: AtomicU64,
}

/// One logical partition of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BusyPartition {
    /// The bytes every key of the logical partition begins with.
    pub(crate) partition: Vec<u8>,
    pub(crate) charge: RequestCharge,
    /// How much of the charge may belong to others.
    pub(crate) excess: RequestCharge,
    pub(crate) requests: u64,
    pub(crate) throttled: u64,
}

/// Hashes the name of a logical partition; never zero, which marks a free slot. All bits are mixed, because the set is
/// chosen by a few bits in the middle.
fn hash_name(name: &[u8]) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = name.len() as u64;
    for chunk in name.chunks(8) {
        let mut word = [0; 8];
        if let Some(start) = word.get_mut(..chunk.len()) {
            start.copy_from_slice(chunk);
        }
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(ODD).rotate_left(29);
    }
    hash = (hash ^ (hash >> 32)).wrapping_mul(ODD);
    (hash ^ (hash >> 29)).max(1)
}

impl BusiestPartitions {
    pub(crate) fn count(&self, logical: LogicalPartitionRef<'_>, charge: RequestCharge) {
        self.count_name(logical.as_bytes(), charge.parts());
    }

    pub(crate) fn count_throttled(&self, logical: LogicalPartitionRef<'_>) {
        self.update(logical.as_bytes(), 0, |slot| {
            slot.throttled.fetch_add(1, Relaxed);
        });
    }

    fn count_name(&self, name: &[u8], parts: u64) {
        self.update(name, parts, |slot| {
            slot.parts.fetch_add(parts, Relaxed);
            slot.requests.fetch_add(1, Relaxed);
        });
    }

    fn update(&self, name: &[u8], parts: u64, add: impl Fn(&Slot)) {
        let hash = hash_name(name);
        let sets = self.sets.get_or_init(|| (0..SETS).map(|_| SlotSet::default()).collect());
        // Not the low bits: those are compared inside the set, and the set should not be implied by them.
        let Some(set) = sets.get((hash >> 32) as usize % SETS) else { return };
        // Without the lock. Two names with one hash share a slot; with 64 bits that is accepted. Relaxed is enough:
        // the counters are statistics, and a slot that is replaced at this moment may get one charge too many.
        match set.slots.iter().find(|slot| slot.hash.load(Relaxed) == hash) {
            Some(slot) => add(slot),
            // A request without a charge replaces nobody.
            None if parts == 0 => {}
            None => set.take_slot(hash, name, &add),
        }
    }

    /// All logical partitions of the table, the busiest first.
    pub(crate) fn all(&self) -> Vec<BusyPartition> {
        let sets = self.sets.get().map_or(&[][..], |sets| sets);
        let mut all: Vec<BusyPartition> = sets.iter().flat_map(SlotSet::all).collect();
        all.sort_by(|left, right| {
            right.charge.cmp(&left.charge).then_with(|| left.partition.cmp(&right.partition))
        });
        all
    }
}

impl SlotSet {
    fn take_slot(&self, hash: u64, name: &[u8], add: &impl Fn(&Slot)) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have taken a slot for the same name before we got the lock.
        if let Some(slot) = self.slots.iter().find(|slot| slot.hash.load(Relaxed) == hash) {
            return add(slot);
        }
        // Free slots first: their first component is false.
        let least = self
            .slots
            .iter()
            .zip(names.iter_mut())
            .min_by_key(|(slot, _)| (slot.hash.load(Relaxed) != 0, slot.parts.load(Relaxed)));
        let Some((slot, stored_name)) = least else { return };
        // The charge stays in the slot and becomes the excess of the newcomer; that is the space-saving rule.
        slot.excess_parts.store(slot.parts.load(Relaxed), Relaxed);
        slot.requests.store(0, Relaxed);
        slot.throttled.store(0, Relaxed);
        stored_name.clear();
        stored_name.extend_from_slice(name);
        // Last, so that the new name is not found before its counters are reset. Relaxed promises no order, though.
        slot.hash.store(hash, Relaxed);
        add(slot);
    }

    fn all(&self) -> Vec<BusyPartition> {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = self.slots.iter().zip(names.iter());
        taken
            .filter_map(|(slot, name)| {
                Some(BusyPartition {
                    partition: (!name.is_empty()).then(|| name.clone())?,
                    charge: RequestCharge::from_parts(slot.parts.load(Relaxed)),
                    excess: RequestCharge::from_parts(slot.excess_parts.load(Relaxed)),
                    requests: slot.requests.load(Relaxed),
                    throttled: slot.throttled.load(Relaxed),
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spend(table: &BusiestPartitions, name: &str, units: u64) {
        table.count_name(name.as_bytes(), units);
    }

    #[test]
    fn few_are_counted_exactly() {
        let table = BusiestPartitions::default();
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
        let table = BusiestPartitions::default();
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
