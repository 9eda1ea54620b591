//! Arbitrary values for property tests. Compiled only for tests.

use proptest::prelude::*;

use super::Value;

/// Any value of a few levels, with numbers and names that collide often.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Undefined),
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number(),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::array),
            proptest::collection::vec((text(), inner), 0..4).prop_map(Value::object),
        ]
    })
}

/// Any number of either kind, NaN and the infinities included.
pub(crate) fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-3i64..4).prop_map(Value::from),
        (-3i64..4).prop_map(|integer| Value::from(integer as f64)),
        any::<i64>().prop_map(Value::from),
        any::<i64>().prop_map(|integer| Value::from(integer as f64)),
        any::<f64>().prop_map(Value::from),
        prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(-0.0), Just(0.5)]
            .prop_map(Value::from),
    ]
}

/// Any text: short and colliding, words functions look for, or anything.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab]{0,2}",
        "(dd|yyyy|mm|ns|i|Point|type|2020-01-31T10:00:00Z)",
        "[a\"\\\\\n\u{1}é\u{E000}\u{FFFF}\u{10000}🚀]{0,6}",
        any::<String>(),
    ]
}
