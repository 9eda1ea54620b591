//! Items made of what the index knows.
//!
//! Owns the choice whether the walked terms, together with the partition key, hold every value that a query looks at,
//! and the small items made of them: they go through the query like loaded ones. A term that holds only a fingerprint
//! still needs its item, and so does one that may have expired.

use model::{
    IndexPathSegment, Json, Object, PartitionKey, PartitionKeyDefinition, PartitionKeyValue,
};

use super::term::{Decoded, decode};
use crate::ordered_bytes::EXACT_INTEGERS_BELOW;

/// Where a value stands in an item.
type Names = Vec<String>;

/// What the walked terms hold.
#[derive(Clone, Debug)]
pub(super) struct IndexValues {
    /// For each encoded value of a term: its place, and whether it is in descending order.
    places: Vec<(Names, bool)>,
    /// Values that all items of a logical partition share.
    shared: Vec<(Names, Json)>,
}

impl IndexValues {
    /// The values of terms over these paths; none when the query needs others.
    pub(super) fn new(
        needed: &[Vec<IndexPathSegment>],
        walked: &[(Vec<IndexPathSegment>, bool)],
        shared: Vec<(Vec<String>, Json)>,
    ) -> Option<Self> {
        let places: Option<Vec<_>> =
            walked.iter().map(|(path, inverted)| Some((names(path)?, *inverted))).collect();
        let places = places?;
        for path in needed {
            let wanted = names(path)?;
            let is_walked = places.iter().any(|(known, _)| *known == wanted);
            let is_shared = shared.iter().any(|(known, _)| *known == wanted);
            if !is_walked && !is_shared {
                return None;
            }
        }
        Some(Self { places, shared })
    }

    /// The item as far as the index knows it; none when a value must be looked up.
    pub(super) fn item(&self, mut value: &[u8]) -> Option<Json> {
        let mut item = Json::Object(Object::new());
        for (place, shared) in &self.shared {
            insert(&mut item, place, shared.clone());
        }
        for (place, is_inverted) in &self.places {
            let turned: Vec<u8>;
            let bytes = if *is_inverted {
                turned = value.iter().map(|byte| !byte).collect();
                &turned
            } else {
                value
            };
            let (decoded, length) = decode(bytes)?;
            match decoded {
                Decoded::Value(json) => insert(&mut item, place, json),
                Decoded::Absent => {}
                Decoded::Fingerprint => return None,
            }
            value = value.get(length..)?;
        }
        Some(item)
    }
}

/// The values of a partition key as an item holds them; those that are not exact in a key are left out.
pub(super) fn shared_values(
    definition: &PartitionKeyDefinition,
    key: &PartitionKey,
) -> Vec<(Names, Json)> {
    let values = definition.paths().iter().zip(key.components());
    let exact = values.filter_map(|(path, value)| Some((path, exact_value(value)?)));
    exact.map(|(path, json)| (path.segments().to_vec(), json)).collect()
}

/// A value of a partition key as the items of its logical partition hold it; none when that is not certain.
pub(super) fn exact_value(value: &PartitionKeyValue) -> Option<Json> {
    match value {
        // Arrays and objects are keys without a value: nothing certain is known.
        PartitionKeyValue::Undefined => None,
        PartitionKeyValue::Null => Some(Json::Null),
        PartitionKeyValue::Bool(value) => Some(Json::Bool(*value)),
        PartitionKeyValue::String(text) => Some(Json::from(text.as_str())),
        PartitionKeyValue::Number(number) if number.abs() < EXACT_INTEGERS_BELOW => {
            model::Number::from_f64(*number).map(Json::Number)
        }
        PartitionKeyValue::Number(_) => None,
    }
}

fn names(path: &[IndexPathSegment]) -> Option<Names> {
    path.iter()
        .map(|segment| match segment {
            IndexPathSegment::Property(name) => Some(name.clone()),
            IndexPathSegment::AnyElement => None,
        })
        .collect()
}

fn insert(item: &mut Json, place: &[String], value: Json) {
    let Json::Object(object) = item else { return };
    match place {
        [] => {}
        [last] => object.insert(last.as_str(), value),
        [first, rest @ ..] => {
            if object.get(first).is_none() {
                object.insert(first.as_str(), Object::new());
            }
            if let Some(inner) = object.get_mut(first) {
                insert(inner, rest, value);
            }
        }
    }
}
