//! Tests of epk ranges: the service's cuts, and the laws of the algebra.

use proptest::prelude::*;

use crate::partition::arbitrary::{definition, epk, partition_key};
use crate::{EffectivePartitionKey, EpkRange, Json, PartitionKeyDefinition};

fn range(min: &str, max: &str) -> EpkRange {
    let epk = |text| EffectivePartitionKey::from_hex(text).unwrap();
    EpkRange::new(epk(min), epk(max))
}

fn v1() -> PartitionKeyDefinition {
    PartitionKeyDefinition::from_json(&Json::parse(br#"{"paths":["/pk"]}"#).unwrap()).unwrap()
}

fn v2() -> PartitionKeyDefinition {
    PartitionKeyDefinition::single("/pk").unwrap()
}

fn bounds(parts: &[EpkRange]) -> Vec<String> {
    parts.iter().map(|part| part.max.to_string()).collect()
}

#[test]
fn the_space_is_cut_where_the_service_cuts_it() {
    assert_eq!(EpkRange::equal_parts(0, &v2()), [EpkRange::full()]);
    assert_eq!(EpkRange::equal_parts(1, &v1()), [EpkRange::full()]);
    assert_eq!(
        bounds(&EpkRange::equal_parts(2, &v2())),
        ["1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", "FF"]
    );
    assert_eq!(
        bounds(&EpkRange::equal_parts(4, &v2())),
        [
            "0FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
            "1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFE",
            "2FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFD",
            "FF"
        ]
    );
    assert_eq!(
        bounds(&EpkRange::equal_parts(4, &v1())),
        ["05C1CFFFFFFFF8", "05C1DFFFFFFFFC", "05C1E7FFFFFFFE", "FF"]
    );
    assert_eq!(
        bounds(&EpkRange::equal_parts(5, &v2())),
        [
            "0CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC",
            "19999999999999999999999999999998",
            "26666666666666666666666666666664",
            "33333333333333333333333333333330",
            "FF"
        ]
    );
    assert_eq!(
        bounds(&EpkRange::equal_parts(5, &v1())),
        ["05C1C9CD673398", "05C1D9CD673398", "05C1E399CD6732", "05C1E9CD673398", "FF"]
    );
}

#[test]
fn ranges_are_divided_at_the_bounds_of_equal_parts_where_that_is_possible() {
    for definition in [v1(), v2(), PartitionKeyDefinition::hierarchical(&["/a", "/b"]).unwrap()] {
        let parts = |count| EpkRange::equal_parts(count, &definition);
        let full = [EpkRange::full()];
        for count in 1..=9 {
            assert_eq!(EpkRange::divide(&full, count, &definition), [parts(count)]);
        }
        // In version 2, the bound of two halves is one more than that of the second quarter, and stays.
        let halves = parts(2);
        let quarters = EpkRange::divide(&halves, 4, &definition).concat();
        assert_eq!(quarters.len(), 4);
        assert_eq!(quarters[0], parts(4)[0]);
        assert_eq!(quarters[1].max, halves[0].max);
        assert_eq!(quarters[3], parts(4)[3]);
        // What a crash between two splits has left is completed in the same way.
        let left = [quarters[0].clone(), quarters[1].clone(), halves[1].clone()];
        assert_eq!(EpkRange::divide(&left, 4, &definition).concat(), quarters);
    }
}

#[test]
fn other_ranges_are_halved_the_widest_first() {
    let halves = EpkRange::equal_parts(2, &v2());
    let thirds = EpkRange::divide(&halves, 3, &v2());
    // The second half is wider, by one hash.
    assert_eq!(thirds[0], [halves[0].clone()]);
    assert_eq!(thirds[1][0].max, halves[1].midpoint(&v2()));
    assert_eq!(EpkRange::divide(&thirds.concat(), 2, &v2()).concat(), thirds.concat());
    let uneven = [range("", "05"), range("05", "FF")];
    let divided = EpkRange::divide(&uneven, 4, &v2());
    assert_eq!((divided[0].len(), divided[1].len()), (1, 3));
    let one = range("05", "05000000000000000000000000000001");
    assert_eq!(EpkRange::divide(&[range("", "05"), one.clone()], 3, &v2())[1], [one]);
}

#[test]
fn midpoints_agree_with_equal_parts() {
    for definition in [v1(), v2(), PartitionKeyDefinition::hierarchical(&["/a", "/b"]).unwrap()] {
        let quarters = EpkRange::equal_parts(4, &definition);
        let halves = EpkRange::equal_parts(2, &definition);
        assert_eq!(EpkRange::full().midpoint(&definition), halves[0].max);
        assert_eq!(halves[0].midpoint(&definition), quarters[0].max);
    }
}

#[test]
fn one_hot_outer_level_is_halved_by_the_next() {
    let hierarchical = PartitionKeyDefinition::hierarchical(&["/a", "/b"]).unwrap();
    let h = "32E9366E637A71B4E710384B2F4970A0";
    let middle = range(h, &format!("{h}FF")).midpoint(&hierarchical);
    assert_eq!(middle.to_string(), format!("{h}1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"));
    let next = "32E9366E637A71B4E710384B2F4970A1";
    assert_eq!(range(h, next).midpoint(&hierarchical), middle);
    // Without a further level, nothing lies between.
    assert_eq!(range(h, next).midpoint(&v2()).to_string(), h);
}

#[test]
fn only_the_inside_is_contained() {
    let one = range("0A", "0B");
    let contains = |text| one.contains(&EffectivePartitionKey::from_hex(text).unwrap());
    assert!(contains("0A") && contains("0A00") && contains("0AFF"));
    assert!(!contains("") && !contains("09FF") && !contains("0B"));
    assert!(range("0A", "0A").is_empty());
    assert!(range("0B", "0A").is_empty());
}

fn epk_range() -> impl Strategy<Value = EpkRange> {
    (epk(), epk()).prop_map(|(min, max)| EpkRange { min, max })
}

proptest! {
    #[test]
    fn equal_parts_cover_everything_once(
        parts in 1usize..40,
        definition in definition(),
        key in partition_key(),
    ) {
        let ranges = EpkRange::equal_parts(parts, &definition);
        prop_assert_eq!(ranges.len(), parts);
        prop_assert_eq!(&ranges[0].min, &EffectivePartitionKey::MIN);
        prop_assert_eq!(&ranges[parts - 1].max, &EffectivePartitionKey::MAX);
        for pair in ranges.windows(2) {
            prop_assert_eq!(&pair[0].max, &pair[1].min);
            prop_assert!(!pair[0].overlaps(&pair[1]));
        }
        prop_assert!(ranges.iter().all(|range| !range.is_empty()));
        let epk = definition.effective(&key);
        prop_assert_eq!(ranges.iter().filter(|range| range.contains(&epk)).count(), 1);
    }

    #[test]
    fn divided_ranges_cover_the_same(
        before in 1usize..12,
        parts in 1usize..40,
        halvings in 0usize..4,
        definition in definition(),
    ) {
        let mut ranges = EpkRange::equal_parts(before, &definition);
        for place in 0..halvings {
            let place = place * 3 % ranges.len();
            let middle = ranges[place].midpoint(&definition);
            let (below, from) = ranges[place].split_at(&middle).unwrap();
            ranges.splice(place..=place, [below, from]);
        }
        let divided = EpkRange::divide(&ranges, parts, &definition);
        prop_assert_eq!(divided.len(), ranges.len());
        prop_assert!(divided.iter().map(Vec::len).sum::<usize>() >= parts);
        for (range, parts) in ranges.iter().zip(&divided) {
            prop_assert_eq!((&parts[0].min, &parts[parts.len() - 1].max), (&range.min, &range.max));
            prop_assert!(parts.windows(2).all(|pair| pair[0].max == pair[1].min));
            prop_assert!(parts.iter().all(|part| !part.is_empty()));
        }
    }

    #[test]
    fn split_and_merge_are_inverse(range in epk_range(), cut in epk()) {
        if let Some((below, from)) = range.split_at(&cut) {
            prop_assert!(!below.is_empty() && !from.is_empty() && !below.overlaps(&from));
            prop_assert!(from.contains(&cut) && !below.contains(&cut));
            prop_assert_eq!(below.merge(&from), Some(range.clone()));
            prop_assert_eq!(from.merge(&below), Some(range));
        } else {
            prop_assert!(range.min == cut || !range.contains(&cut));
        }
    }

    #[test]
    fn intersection_is_what_both_contain(left in epk_range(), right in epk_range(), epk in epk()) {
        let both = left.contains(&epk) && right.contains(&epk);
        let common = left.intersect(&right);
        prop_assert_eq!(common.as_ref().is_some_and(|range| range.contains(&epk)), both);
        prop_assert_eq!(common.is_some(), right.overlaps(&left));
        prop_assert!(!both || left.overlaps(&right));
    }

    #[test]
    fn a_midpoint_lies_inside(range in epk_range(), definition in definition()) {
        prop_assume!(!range.is_empty());
        prop_assert!(range.contains(&range.midpoint(&definition)));
    }

    #[test]
    fn halving_again_and_again_keeps_every_key(
        definition in definition(),
        key in partition_key(),
        halvings in 1usize..20,
    ) {
        let epk = definition.effective(&key);
        let mut range = EpkRange::full();
        for _ in 0..halvings {
            let (below, from) = range.split_at(&range.midpoint(&definition)).unwrap();
            range = if below.contains(&epk) { below } else { from };
            prop_assert!(range.contains(&epk));
        }
    }
}
