//! A digest of the items of one side, in a fixed number of slices.
//!
//! Owns the digest: per slice a count and a sum of hashes, which does not depend on the order of items. Two sides with
//! equal digests hold equal items. Where they differ, only the items of unequal slices must be compared one by one.

use client::{Json, PartitionKey};
use model::structural_hash;

/// Memory is constant, 32 bytes per slice and side; more slices mean fewer items to compare per difference.
const SLICES: usize = 4096;

/// The digest of one side.
pub(super) struct ContainerDigest {
    slices: Vec<DigestSlice>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct DigestSlice {
    count: u64,
    sum: u128,
}

/// The hashes of an item: of its address and of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ItemHashes {
    pub(super) address: u128,
    pub(super) content: u128,
}

impl ItemHashes {
    /// The hashes of an item without its system properties.
    pub(super) fn new(partition_key: &PartitionKey, id: &str, own: &Json) -> Self {
        let address = Json::Array(vec![partition_key.to_json(), Json::from(id)]);
        Self { address: structural_hash(&address), content: structural_hash(own) }
    }

    pub(super) fn slice(self) -> usize {
        // The remainder is below the number of slices, which fits.
        usize::try_from(self.address % SLICES as u128).unwrap_or_default()
    }
}

impl ContainerDigest {
    pub(super) fn new() -> Self {
        Self { slices: vec![DigestSlice::default(); SLICES] }
    }

    pub(super) fn add(&mut self, hashes: ItemHashes) {
        // A product binds content to address: with a sum, two items that swap their contents would give the same
        // digest. `| 1` avoids zero, which would hide the other factor.
        let both = (hashes.address | 1).wrapping_mul(hashes.content | 1);
        if let Some(slice) = self.slices.get_mut(hashes.slice()) {
            slice.count += 1;
            // A sum: both sides return their items in different orders.
            slice.sum = slice.sum.wrapping_add(both);
        }
    }

    pub(super) fn items(&self) -> u64 {
        self.slices.iter().map(|slice| slice.count).sum()
    }

    /// The slices that differ from the other side, in groups of about `items_max` items of the other side.
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

    fn digest(items: &[(&str, &str, i64)]) -> ContainerDigest {
        let mut digest = ContainerDigest::new();
        for (key, id, value) in items {
            let key = PartitionKey::from(*key);
            digest.add(ItemHashes::new(&key, id, &Json::from(*value)));
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
    fn content_address_and_number_matter() {
        let one = [("a", "1", 1), ("b", "1", 2)];
        assert_eq!(differ(&one, &[("a", "1", 1), ("b", "1", 3)]), 1);
        assert_eq!(differ(&one, &[("a", "1", 1), ("c", "1", 2)]), 2);
        assert_eq!(differ(&one, &[("a", "1", 1)]), 1);
        // Two items that swap their contents.
        assert_eq!(differ(&one, &[("a", "1", 2), ("b", "1", 1)]), 2);
        assert_eq!(differ(&one, &[("a", "1", 1), ("b", "1", 2), ("b", "1", 2)]), 1);
    }

    #[test]
    fn slices_are_compared_in_groups() {
        let many: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        let items: Vec<_> = many.iter().map(|id| ("a", id.as_str(), 1)).collect();
        let groups = digest(&[]).differing(&digest(&items), 10);
        assert!(groups.len() >= 10, "{}", groups.len());
        let all: usize = groups.iter().map(Vec::len).sum();
        assert!(all > 90 && all <= 100, "{all}");
    }
}
