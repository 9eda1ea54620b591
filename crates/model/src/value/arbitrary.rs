//! Arbitrary values for property tests. Compiled only for tests.

use proptest::prelude::*;

use super::{Json, Number, Object};

/// Any JSON value of a few levels, with numbers and names that collide often.
pub(crate) fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        number().prop_map(Json::Number),
        text().prop_map(Json::String),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            proptest::collection::vec((text(), inner), 0..4).prop_map(|properties| {
                let mut object = Object::new();
                for (name, value) in properties {
                    object.insert(name, value);
                }
                Json::Object(object)
            }),
        ]
    })
}

/// Any number; integers and doubles are often equal.
pub(crate) fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        (-2i64..3).prop_map(Number::from),
        any::<i64>().prop_map(Number::from),
        any::<i64>().prop_filter_map("finite", |integer| Number::from_f64(integer as f64)),
        any::<f64>().prop_filter_map("finite", Number::from_f64),
        prop_oneof![Just("1.0"), Just("-0"), Just("0.0"), Just("1e0"), Just("9223372036854775808")]
            .prop_filter_map("a number", Number::parse),
    ]
}

/// Any text: short and colliding, or with quotes, controls and characters beyond the basic plane.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[ab]{0,2}", "[a\"\\\\\\n\u{1}é\u{E000}\u{FFFF}\u{10000}🚀]{0,6}", any::<String>(),]
}
