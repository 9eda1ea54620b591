//! Arbitrary partition keys and definitions for property tests. Compiled only for tests.

use proptest::prelude::*;

use super::{EffectivePartitionKey, PartitionKey, PartitionKeyDefinition, PartitionKeyValue};
use crate::Json;
use crate::value::arbitrary::{number, text};

/// Any partition key of up to three levels.
pub(crate) fn partition_key() -> impl Strategy<Value = PartitionKey> {
    proptest::collection::vec(component(), 0..4).prop_map(PartitionKey::from_values)
}

/// Any component.
pub(crate) fn component() -> impl Strategy<Value = PartitionKeyValue> {
    prop_oneof![
        Just(PartitionKeyValue::Undefined),
        Just(PartitionKeyValue::Null),
        any::<bool>().prop_map(PartitionKeyValue::Bool),
        number().prop_map(|number| PartitionKeyValue::Number(number.as_f64())),
        text().prop_map(PartitionKeyValue::String),
    ]
}

/// One definition per way of hashing.
pub(crate) fn definition() -> impl Strategy<Value = PartitionKeyDefinition> {
    prop_oneof![
        Just(r#"{"paths":["/a"],"kind":"Hash"}"#),
        Just(r#"{"paths":["/a"],"kind":"Hash","version":2}"#),
        Just(r#"{"paths":["/a","/b","/c"],"kind":"MultiHash","version":2}"#),
    ]
    .prop_map(|text| {
        PartitionKeyDefinition::from_json(&Json::parse(text.as_bytes()).unwrap()).unwrap()
    })
}

/// Any bytes as an epk, short ones often.
pub(crate) fn epk() -> impl Strategy<Value = EffectivePartitionKey> {
    prop_oneof![
        proptest::collection::vec(0_u8..3, 0..3),
        proptest::collection::vec(any::<u8>(), 0..18),
    ]
    .prop_map(EffectivePartitionKey::from_bytes)
}
