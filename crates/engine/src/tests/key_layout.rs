//! Keys can be read back, never run into each other, and lie in the ranges they belong to.

use bytes::BytesMut;
use model::{
    EffectivePartitionKey, EpkRange, PartitionKey, PartitionKeyDefinition, PartitionKeyValue,
};
use proptest::prelude::*;
use storage::StorageKey;

use crate::key_layout::{
    ChangePosition, ItemKey, LogicalPartition, TERMS, TermMaker, UNIQUE_KEYS, catalog_key,
    catalog_name, epk_key_range, owner_of_entry, unique_key,
};
use crate::ordered_bytes::push_escaped;

fn component() -> impl Strategy<Value = PartitionKeyValue> {
    let text = proptest::collection::vec(
        prop_oneof![Just('\u{0}'), Just('\u{FF}'), Just('a'), any::<char>()],
        0..5,
    );
    prop_oneof![
        Just(PartitionKeyValue::Undefined),
        Just(PartitionKeyValue::Null),
        any::<bool>().prop_map(PartitionKeyValue::Bool),
        prop_oneof![any::<f64>(), Just(0.0), Just(-1.5)]
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(PartitionKeyValue::Number),
        text.prop_map(|text| PartitionKeyValue::String(text.into_iter().collect())),
    ]
}

fn definition(levels: usize) -> PartitionKeyDefinition {
    match levels {
        1 => PartitionKeyDefinition::single("/a").unwrap(),
        2 => PartitionKeyDefinition::hierarchical(&["/a", "/b"]).unwrap(),
        _ => PartitionKeyDefinition::hierarchical(&["/a", "/b", "/c"]).unwrap(),
    }
}

fn partition_key(levels: usize) -> impl Strategy<Value = PartitionKey> {
    proptest::collection::vec(component(), levels).prop_map(PartitionKey::from_values)
}

/// Two keys of the same number of levels.
fn two_keys() -> impl Strategy<Value = (usize, PartitionKey, PartitionKey)> {
    (1_usize..=3)
        .prop_flat_map(|levels| (Just(levels), partition_key(levels), partition_key(levels)))
}

fn epk() -> impl Strategy<Value = EffectivePartitionKey> {
    let byte = prop_oneof![Just(0_u8), Just(1), Just(0x3F), Just(0xFF), any::<u8>()];
    proptest::collection::vec(byte, 0..5).prop_map(EffectivePartitionKey::from_bytes)
}

fn partition(levels: usize, key: &PartitionKey) -> LogicalPartition {
    LogicalPartition::new(&definition(levels).effective(key), key)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn an_item_key_gives_back_what_it_was_made_of(
        (levels, key, _) in two_keys(),
        id in "[\\PC\u{0}]{1,20}",
    ) {
        let item = partition(levels, &key).item(&id);
        let decoded = ItemKey::decode(item.as_bytes().clone(), levels).unwrap();
        prop_assert_eq!(&decoded, &item);
        prop_assert_eq!(decoded.id(), id.as_str());
        prop_assert!(decoded.id_bytes() == id.as_bytes());
        prop_assert!(decoded.partition_key() == key);
        prop_assert_eq!(decoded.epk(), definition(levels).effective(&key));
        prop_assert_eq!(decoded.partition(), partition(levels, &key));
    }

    #[test]
    fn every_entry_leads_back_to_its_item(
        (levels, key, _) in two_keys(),
        id in "[a-z]{1,4}",
        ordinal: u64,
    ) {
        let item = partition(levels, &key).item(&id);
        let mut maker = TermMaker { item: &item, ordinal, room: BytesMut::new() };
        let terms = maker.single(b"/n", &[0x20]);
        let owner = owner_of_entry(TERMS, &terms.local, &item.id_bytes(), levels);
        prop_assert_eq!(owner.as_ref(), Some(&item));
        let owner = owner_of_entry(TERMS, &terms.global, item.as_bytes(), levels);
        prop_assert_eq!(owner.as_ref(), Some(&item));
        let unique = unique_key(&item.partition(), 0, &[0x20]);
        let owner = owner_of_entry(UNIQUE_KEYS, &unique, &item.id_bytes(), levels);
        prop_assert_eq!(owner, Some(item));
    }

    #[test]
    fn damaged_item_keys_are_refused_not_read(
        bytes in proptest::collection::vec(any::<u8>(), 0..60),
        levels in 1_usize..=3,
    ) {
        if let Some(key) = ItemKey::decode(StorageKey::from(bytes), levels) {
            prop_assert!(!key.id().is_empty());
            prop_assert_eq!(key.partition_key().components().len(), levels);
        }
    }

    #[test]
    fn a_partition_key_that_is_no_text_is_refused(
        text in proptest::collection::vec(prop_oneof![any::<u8>(), Just(0), Just(b'a')], 0..20),
    ) {
        let mut bytes = vec![7, 0, 0, 0x50];
        push_escaped(&mut bytes, &text);
        bytes.extend_from_slice(b"id");
        let decoded = ItemKey::decode(StorageKey::from(bytes), 1);
        let expected = String::from_utf8(text).ok();
        prop_assert_eq!(decoded.is_some(), expected.is_some());
        if let (Some(decoded), Some(text)) = (decoded, expected) {
            prop_assert!(decoded.partition_key() == PartitionKey::from(text.as_str()));
        }
    }

    #[test]
    fn no_logical_partition_is_the_beginning_of_another((levels, left, right) in two_keys()) {
        let (one, other) = (partition(levels, &left), partition(levels, &right));
        prop_assert_eq!(one == other, left == right);
        prop_assert!(one == other || !one.as_bytes().starts_with(other.as_bytes()));
    }

    #[test]
    fn an_epk_range_holds_exactly_its_keys(
        min in epk(),
        max in epk(),
        inside in epk(),
        key in partition_key(1),
        id in "[a-z\u{0}]{1,3}",
    ) {
        let range = EpkRange { min, max };
        let item = LogicalPartition::new(&inside, &key).item(&id);
        let keys = epk_key_range(&range);
        prop_assert_eq!(keys.contains(item.as_bytes()), range.contains(&inside));
        let unique = unique_key(&item.partition(), 3, b"values");
        prop_assert_eq!(keys.contains(&unique), range.contains(&inside));
    }

    #[test]
    fn keys_of_two_logical_partitions_do_not_mix(
        (levels, left, right) in two_keys(),
        ids in proptest::collection::vec("[a-z\u{0}\u{FF}]{1,4}", 2..5),
    ) {
        let (one, other) = (partition(levels, &left), partition(levels, &right));
        let (one, other) = if one < other { (one, other) } else { (other, one) };
        prop_assume!(one != other);
        let last = ids.iter().map(|id| one.item(id).as_bytes().clone()).max().unwrap();
        let first = ids.iter().map(|id| other.item(id).as_bytes().clone()).min().unwrap();
        prop_assert!(last < first);
    }

    #[test]
    fn change_positions_sort_as_their_keys(
        left in any::<(u64, u16, u64)>(),
        right in any::<(u64, u16, u64)>(),
    ) {
        let position = |(lsn, sequence, ordinal)| ChangePosition {
            lsn: model::Lsn(lsn),
            sequence,
            ordinal,
        };
        let (left, right) = (position(left), position(right));
        prop_assert_eq!(left.key().cmp(&right.key()), left.cmp(&right));
        prop_assert_eq!(ChangePosition::decode(&left.key()), Some(left));
        let after = ChangePosition::after(right.lsn);
        if right.lsn.0 < u64::MAX {
            prop_assert_eq!(after.contains(&left.key()), left.lsn > right.lsn);
        }
    }

    #[test]
    fn a_catalog_key_gives_its_first_name_back(first in "\\PC{0,5}\u{0}?\\PC{0,5}", second in "\\PC{0,5}") {
        let key = catalog_key(2, &[&first, &second]);
        prop_assert_eq!(catalog_name(&key), Some(first.clone()));
        prop_assert!(key.starts_with(&catalog_key(2, &[&first])));
        let longer = catalog_key(2, &[&format!("{first}x")]);
        prop_assert!(!key.starts_with(&longer));
    }
}
