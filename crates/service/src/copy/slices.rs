//! The items of one side, summed up in slices of equal size whatever their number.
//!
//! Owns the digest: per slice a count and a sum of hashes that does not depend on the order of items. Two sides with
//! equal digests hold equal items; where they differ, only the slices that differ have to be looked at item by item.

use client::{Json, PartitionKey};
use model::structural_hash;

const SLICES: usize = 4096;

/// What one side holds.
pub(super) struct Digest {
    slices: Vec<Slice>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Slice {
    count: u64,
    sum: u128,
}

/// Where an item is in a container, and what it says: two hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint {
    pub(super) place: u128,
    pub(super) content: u128,
}

impl Fingerprint {
    /// Of an item without its system properties.
    pub(super) fn of(partition_key: &PartitionKey, id: &str, own: &Json) -> Self {
        let place = Json::Array(vec![partition_key.to_json(), Json::from(id)]);
        Self { place: structural_hash(&place), content: structural_hash(own) }
    }

    pub(super) fn slice(self) -> usize {
        // The remainder is below the number of slices, which fits.
        usize::try_from(self.place % SLICES as u128).unwrap_or_default()
    }
}

impl Digest {
    pub(super) fn new() -> Self {
        Self { slices: vec![Slice::default(); SLICES] }
    }

    pub(super) fn add(&mut self, fingerprint: Fingerprint) {
        // A product, so that what one item says cannot stand for what another says.
        let both = (fingerprint.place | 1).wrapping_mul(fingerprint.content | 1);
        if let Some(slice) = self.slices.get_mut(fingerprint.slice()) {
            slice.count += 1;
            slice.sum = slice.sum.wrapping_add(both);
        }
    }

    pub(super) fn items(&self) -> u64 {
        self.slices.iter().map(|slice| slice.count).sum()
    }

    /// The slices in which this side and the other differ, in groups of about `items_max` items of the other side.
    pub(super) fn differing(&self, other: &Self, items_max: u64) -> Vec<Vec<usize>> {
        let pairs = self.slices.iter().zip(&other.slices).enumerate();
        let mut groups = Vec::new();
        let (mut group, mut items) = (Vec::new(), 0);
        for (number, (_, theirs)) in pairs.filter(|(_, (ours, theirs))| ours != theirs) {
            if items > 0 && items + theirs.count > items_max {
                groups.push(std::mem::take(&mut group));
                items = 0;
            }
            group.push(number);
            items += theirs.count;
        }
        if !group.is_empty() {
            groups.push(group);
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(items: &[(&str, &str, i64)]) -> Digest {
        let mut digest = Digest::new();
        for (key, id, value) in items {
            let key = PartitionKey::from(*key);
            digest.add(Fingerprint::of(&key, id, &Json::from(*value)));
        }
        digest
    }

    fn differ(one: &[(&str, &str, i64)], other: &[(&str, &str, i64)]) -> usize {
        digest(one).differing(&digest(other), 10).iter().map(Vec::len).sum()
    }

    #[test]
    fn the_order_of_items_does_not_matter() {
        assert_eq!(differ(&[("a", "1", 1), ("b", "1", 2)], &[("b", "1", 2), ("a", "1", 1)]), 0);
    }

    #[test]
    fn content_place_and_number_matter() {
        let one = [("a", "1", 1), ("b", "1", 2)];
        assert_eq!(differ(&one, &[("a", "1", 1), ("b", "1", 3)]), 1);
        assert_eq!(differ(&one, &[("a", "1", 1), ("c", "1", 2)]), 2);
        assert_eq!(differ(&one, &[("a", "1", 1)]), 1);
        // What one item says may not be said by the other.
        assert_eq!(differ(&one, &[("a", "1", 2), ("b", "1", 1)]), 2);
        assert_eq!(differ(&one, &[("a", "1", 1), ("b", "1", 2), ("b", "1", 2)]), 1);
    }

    #[test]
    fn slices_are_looked_at_in_groups() {
        let many: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        let items: Vec<_> = many.iter().map(|id| ("a", id.as_str(), 1)).collect();
        let groups = digest(&[]).differing(&digest(&items), 10);
        assert!(groups.len() >= 10, "{}", groups.len());
        let all: usize = groups.iter().map(Vec::len).sum();
        assert!(all > 90 && all <= 100, "{all}");
    }
}
