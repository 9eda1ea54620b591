//! Items decoded from index terms, so that they need not be loaded.
//!
//! Decides whether the terms of an access path, together with the partition key, contain every value a query uses, and
//! builds small items from them, which the query evaluates like loaded ones. A term that holds only a hash of its value
//! still needs its item, and so does an item that may have expired.

use model::{
    IndexPathSegment, Json, Object, PartitionKey, PartitionKeyDefinition, PartitionKeyValue,
};

use super::term::{TermValue, decode_value};
use crate::ordered_bytes::EXACT_INTEGERS_BELOW;

/// The property names that lead to a value of an item.
type PropertyNames = Vec<String>;

/// Decodes items from terms.
#[derive(Clone, Debug)]
pub(super) struct IndexValues {
    /// For each encoded value of a term: where it belongs in the item, and whether it is inverted.
    paths: Vec<(PropertyNames, bool)>,
    /// Values that all items of a logical partition share.
    shared: Vec<(PropertyNames, Json)>,
}

impl IndexValues {
    /// A decoder for terms over these paths; `None` if the query needs other values.
    pub(super) fn new(
        needed: &[Vec<IndexPathSegment>],
        term_paths: &[(Vec<IndexPathSegment>, bool)],
        shared: Vec<(Vec<String>, Json)>,
    ) -> Option<Self> {
        let paths: Option<Vec<_>> = term_paths
            .iter()
            .map(|(path, inverted)| Some((property_names(path)?, *inverted)))
            .collect();
        // A path through array elements has one term per element, which cannot be put back into an item.
        let paths = paths?;
        for path in needed {
            let wanted = property_names(path)?;
            let is_in_term = paths.iter().any(|(known, _)| *known == wanted);
            let is_shared = shared.iter().any(|(known, _)| *known == wanted);
            if !is_in_term && !is_shared {
                return None;
            }
        }
        Some(Self { paths, shared })
    }

    /// Decodes the item of a term; `None` if the term does not contain a complete value.
    pub(super) fn decode_item(&self, mut value: &[u8]) -> Option<Json> {
        let mut item = Json::Object(Object::new());
        for (names, shared) in &self.shared {
            insert(&mut item, names, shared.clone());
        }
        for (names, is_inverted) in &self.paths {
            let inverted: Vec<u8>;
            let bytes = if *is_inverted {
                // The rest of the value is inverted as a whole, because the length of a component is known only after
                // it is decoded.
                inverted = value.iter().map(|byte| !byte).collect();
                &inverted
            } else {
                value
            };
            let (decoded, length) = decode_value(bytes)?;
            match decoded {
                TermValue::Value(json) => insert(&mut item, names, json),
                // Left out, not set to null: the query must see the property as undefined.
                TermValue::Absent => {}
                TermValue::Fingerprint => return None,
            }
            // Lengths are the same inverted or not, so `value` advances in the stored form.
            value = value.get(length..)?;
        }
        Some(item)
    }
}

/// The values of a partition key as its items contain them, except those that a key does not hold exactly.
pub(super) fn shared_values(
    definition: &PartitionKeyDefinition,
    key: &PartitionKey,
) -> Vec<(PropertyNames, Json)> {
    let values = definition.paths().iter().zip(key.components());
    let exact = values.filter_map(|(path, value)| Some((path, exact_value(value)?)));
    exact.map(|(path, json)| (path.segments().to_vec(), json)).collect()
}

/// A component of a partition key as the items of its logical partition contain it; `None` if that is uncertain.
pub(super) fn exact_value(value: &PartitionKeyValue) -> Option<Json> {
    match value {
        // Items without the property and items with an array or object there share this key.
        PartitionKeyValue::Undefined => None,
        PartitionKeyValue::Null => Some(Json::Null),
        PartitionKeyValue::Bool(value) => Some(Json::Bool(*value)),
        PartitionKeyValue::String(text) => Some(Json::from(text.as_str())),
        PartitionKeyValue::Number(number) if number.abs() < EXACT_INTEGERS_BELOW => {
            model::Number::from_f64(*number).map(Json::Number)
        }
        // From 2^53 on, different integers in items share one double in the key.
        PartitionKeyValue::Number(_) => None,
    }
}

fn property_names(path: &[IndexPathSegment]) -> Option<PropertyNames> {
    path.iter()
        .map(|segment| match segment {
            IndexPathSegment::Property(name) => Some(name.clone()),
            IndexPathSegment::AnyElement => None,
        })
        .collect()
}

fn insert(item: &mut Json, names: &[String], value: Json) {
    let Json::Object(object) = item else { return };
    match names {
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
