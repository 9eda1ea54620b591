//! Partition keys: the value, or the values of a hierarchical key, that determine the partition of an item.
//!
//! Owns the key, its equality and its JSON form. Does not own the rules of a container: see `definition`.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::{Json, Number, Object, Result, ValidationError};

/// The partition key of an item or a request: one component per level, outermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PartitionKey {
    components: Vec<PartitionKeyValue>,
}

/// One component of a partition key.
#[derive(Clone, Debug)]
pub enum PartitionKeyValue {
    /// The item has no such property, or its value is an array or object.
    Undefined,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number. Partition keys compare numbers as doubles; 0.0 and -0.0 are equal.
    Number(f64),
    /// Text.
    String(String),
}

impl PartitionKey {
    /// A key of these components. NaN and infinities count as undefined.
    #[must_use]
    pub fn from_values(values: impl IntoIterator<Item = PartitionKeyValue>) -> Self {
        let components = values.into_iter().map(PartitionKeyValue::normalized).collect();
        Self { components }
    }

    /// The components, outermost first; empty for a container without partition key.
    #[must_use]
    pub fn components(&self) -> &[PartitionKeyValue] {
        &self.components
    }

    /// Parses the text of a JSON array of components.
    ///
    /// # Errors
    /// When the text is not JSON, or not an array of components.
    pub fn parse(text: &str) -> Result<Self> {
        // Nearly every request names one text without escapes, which needs no parser.
        if let Some(text) = single_plain_text(text) {
            return Ok(Self { components: vec![PartitionKeyValue::String(text.to_owned())] });
        }
        let value = Json::parse(text.as_bytes()).map_err(|error| {
            ValidationError::new(format!("The partition key {text} is not valid JSON: {error}."))
        })?;
        Self::from_json(&value)
    }

    /// Parses an array of components, in which `{}` means undefined.
    ///
    /// # Errors
    /// When the value is not an array, or an element is an array or an object with properties.
    pub fn from_json(value: &Json) -> Result<Self> {
        let elements = value.as_array().ok_or_else(|| {
            let actual = value.type_name();
            ValidationError::new(format!(
                "A partition key is a JSON array such as [\"a\"]; this is of type {actual}."
            ))
        })?;
        elements
            .iter()
            .map(PartitionKeyValue::from_json)
            .collect::<Result<_>>()
            .map(|components| Self { components })
    }

    /// The array of components, in which `{}` means undefined.
    #[must_use]
    pub fn to_json(&self) -> Json {
        Json::Array(self.components.iter().map(PartitionKeyValue::to_json).collect())
    }
}

/// The text in `["text"]`, if it has no escapes.
fn single_plain_text(array: &str) -> Option<&str> {
    let text = array.strip_prefix("[\"")?.strip_suffix("\"]")?;
    // Folds over all bytes instead of stopping at the first hit, so that the compiler can vectorize the loop.
    let is_plain = |all, byte: u8| all & (byte >= b' ') & (byte != b'"') & (byte != b'\\');
    text.bytes().fold(true, is_plain).then_some(text)
}

impl PartitionKeyValue {
    /// Parses one component. `{}` means undefined.
    fn from_json(value: &Json) -> Result<Self> {
        match value {
            Json::Null => Ok(Self::Null),
            Json::Bool(value) => Ok(Self::Bool(*value)),
            Json::Number(number) => Ok(Self::Number(number.as_f64()).normalized()),
            Json::String(text) => Ok(Self::String(text.clone())),
            Json::Object(object) if object.is_empty() => Ok(Self::Undefined),
            Json::Array(_) | Json::Object(_) => Err(ValidationError::new(format!(
                "The partition key component {value} is invalid: use null, a Boolean, a number, a string, or {{}} for \
                 an absent value."
            ))),
        }
    }

    /// The component for a property of an item. Absent values, arrays and objects count as undefined.
    pub(super) fn from_property(value: Option<&Json>) -> Self {
        // An item may contain an array there, unlike the key of a request, which is refused.
        value.and_then(|value| Self::from_json(value).ok()).unwrap_or(Self::Undefined)
    }

    fn to_json(&self) -> Json {
        match self {
            Self::Undefined => Json::Object(Object::new()),
            Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(*value),
            Self::Number(value) => {
                Number::from_f64(*value).map_or_else(|| Json::Object(Object::new()), Json::Number)
            }
            Self::String(text) => Json::String(text.clone()),
        }
    }

    /// Normalizes a component, so that equal components have equal bytes everywhere.
    fn normalized(self) -> Self {
        match self {
            Self::Number(value) if !value.is_finite() => Self::Undefined,
            // Adding zero turns -0.0 into 0.0 and does not change any other number.
            Self::Number(value) => Self::Number(value + 0.0),
            other => other,
        }
    }
}

/// The bits that decide the equality of numbers; 0.0 and -0.0 have the same.
fn number_bits(value: f64) -> u64 {
    (value + 0.0).to_bits()
}

impl PartialEq for PartitionKeyValue {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Undefined, Self::Undefined) | (Self::Null, Self::Null) => true,
            (Self::Bool(left), Self::Bool(right)) => left == right,
            (Self::Number(left), Self::Number(right)) => number_bits(*left) == number_bits(*right),
            (Self::String(left), Self::String(right)) => left == right,
            _ => false,
        }
    }
}

impl Eq for PartitionKeyValue {}

impl Hash for PartitionKeyValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Undefined and null have no content of their own to tell them apart.
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Undefined | Self::Null => {}
            Self::Bool(value) => value.hash(state),
            Self::Number(value) => number_bits(*value).hash(state),
            Self::String(text) => text.hash(state),
        }
    }
}

impl From<&str> for PartitionKeyValue {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<&str> for PartitionKey {
    fn from(text: &str) -> Self {
        Self::from_values([PartitionKeyValue::from(text)])
    }
}

impl fmt::Display for PartitionKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_json().fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::partition::arbitrary::partition_key;

    #[test]
    fn header_texts_are_parsed_and_printed() {
        for text in
            [r#"["x"]"#, "[1]", "[1.5]", "[true]", "[null]", "[{}]", r#"["a",1,null]"#, "[]"]
        {
            assert_eq!(PartitionKey::parse(text).unwrap().to_string(), text);
        }
        let escaped = PartitionKey::parse(r#"["\u00e9"]"#).unwrap();
        assert_eq!(escaped, PartitionKey::from("é"));
        assert_eq!(
            PartitionKey::parse("[{}]").unwrap().components(),
            [PartitionKeyValue::Undefined]
        );
    }

    #[test]
    fn what_is_not_a_partition_key_is_refused() {
        for text in ["", "\"x\"", "{}", "[[]]", r#"[{"a":1}]"#, "[1", "null"] {
            assert!(PartitionKey::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn both_zeros_are_one_key() {
        let key = |text: &str| PartitionKey::parse(text).unwrap();
        assert_eq!(key("[-0]"), key("[0.0]"));
        assert_eq!(key("[-0]").to_string(), "[0]");
        assert_eq!(PartitionKeyValue::Number(-0.0), PartitionKeyValue::Number(0.0));
        assert_eq!(key("[1]"), key("[1.0]"));
        assert_ne!(key("[1]"), key("[\"1\"]"));
    }

    proptest! {
        #[test]
        fn a_key_survives_its_json(key in partition_key()) {
            prop_assert_eq!(&PartitionKey::from_json(&key.to_json()).unwrap(), &key);
            prop_assert_eq!(PartitionKey::parse(&key.to_string()).unwrap(), key);
        }
    }
}
