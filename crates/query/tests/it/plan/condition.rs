//! The algebra of value sets.

use std::cmp::Ordering;

use model::Json;
use proptest::prelude::*;
use query::plan::condition::{Cut, ValueKind, ValueSet};

fn json() -> BoxedStrategy<Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        (-3_i64..4).prop_map(Json::from),
        prop::sample::select(vec![0.5, -1.5, 1e300, 9_007_199_254_740_993.0])
            .prop_map(|value| Json::Number(model::Number::from_f64(value).unwrap())),
        prop::sample::select(vec!["", "a", "ab", "abc", "b", "\u{E000}", "\u{10000}"])
            .prop_map(Json::from),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::Array),
            (prop::sample::select(vec!["x", "y"]), inner).prop_map(|(name, value)| {
                let mut object = model::Object::new();
                object.insert(name, value);
                Json::Object(object)
            }),
        ]
    })
    .boxed()
}

fn cut() -> impl Strategy<Value = Cut> {
    let kind = prop::sample::select(vec![
        ValueKind::Null,
        ValueKind::Bool,
        ValueKind::Number,
        ValueKind::String,
        ValueKind::Array,
        ValueKind::Object,
    ]);
    prop_oneof![
        kind.clone().prop_map(ValueKind::start),
        kind.prop_map(ValueKind::end),
        json().prop_map(|value| Cut::before(&value)),
        json().prop_map(|value| Cut::after(&value)),
        "[ab]{0,2}".prop_map(|prefix| Cut::after_prefix(&prefix)),
    ]
}

fn set() -> impl Strategy<Value = ValueSet> {
    let range = (cut(), cut()).prop_map(|(low, high)| ValueSet::between(low, high));
    (any::<bool>(), prop::collection::vec(range, 0..4)).prop_map(|(undefined, ranges)| {
        let mut set = ValueSet::union(ranges);
        set.undefined = undefined;
        set
    })
}

proptest! {
    #[test]
    fn cuts_are_totally_ordered(left in cut(), middle in cut(), right in cut()) {
        prop_assert_eq!(left.compare(&middle), middle.compare(&left).reverse());
        prop_assert_eq!(left.compare(&middle) == Ordering::Equal, left == middle);
        let ascends = |low: &Cut, high: &Cut| low.compare(high) != Ordering::Greater;
        if ascends(&left, &middle) && ascends(&middle, &right) {
            prop_assert_ne!(left.compare(&right), Ordering::Greater);
        }
    }

    #[test]
    fn cuts_and_values_agree(value in json(), other in json(), prefix in "[ab]{0,2}") {
        let order = model::compare(Some(&value), Some(&other));
        prop_assert_eq!(Cut::before(&other).is_after(&value), order == Ordering::Less);
        prop_assert_eq!(Cut::after(&other).is_after(&value), order != Ordering::Greater);
        let begins = value.as_str().is_some_and(|text| text.starts_with(&prefix));
        prop_assert_eq!(ValueSet::prefix(&prefix).contains(Some(&value)), begins);
        prop_assert_eq!(ValueSet::point(&other).contains(Some(&value)), value == other);
    }

    #[test]
    fn the_algebra_is_that_of_sets(
        left in set(),
        right in set(),
        value in prop::option::weighted(0.9, json()),
    ) {
        let value = value.as_ref();
        let (in_left, in_right) = (left.contains(value), right.contains(value));
        prop_assert_eq!(left.complement().contains(value), !in_left);
        prop_assert_eq!(
            ValueSet::union([left.clone(), right.clone()]).contains(value), in_left || in_right
        );
        prop_assert_eq!(
            ValueSet::intersection([left.clone(), right]).contains(value),
            in_left && in_right
        );
        if let Some(points) = left.as_points() {
            prop_assert_eq!(value.is_some_and(|value| points.contains(value)), in_left);
        }
        prop_assert_eq!(left.complement().complement(), left);
    }
}
