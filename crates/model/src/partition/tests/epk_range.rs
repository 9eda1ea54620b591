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
            "1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
            "2FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
            "FF"
        ]
    );
    assert_eq!(
        bounds(&EpkRange::equal_parts(4, &v1())),
        ["05C1CFFFFFFFF8", "05C1DFFFFFFFFC", "05C1E7FFFFFFFE", "FF"]
    );
}

#[test]
fn midpoints_agree_with_equal_parts() {
    for definition in [v1(), v2(), PartitionKeyDefinition::hierarchical(&["/a", "/b"]).unwrap()] {
        let quarters = EpkRange::equal_parts(4, &definition);
        let halves = EpkRange::equal_parts(2, &definition);
        assert_eq!(EpkRange::full().midpoint(&definition), halves[0].max);
        assert_eq!(halves[0].midpoint(&definition), quarters[0].max);
        assert_eq!(halves[1].midpoint(&definition), quarters[2].max);
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
