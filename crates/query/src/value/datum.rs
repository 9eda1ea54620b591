//! The value type of evaluation.
//!
//! Owns the variants and access to their contents. Does not own their order, arithmetic or text.

use std::collections::HashMap;
use std::sync::Arc;

/// A value during evaluation, undefined included.
///
/// Strings, arrays and objects are reference-counted: a row passes through many stages, and one property may be
/// projected, compared and grouped by, so a clone must not copy. The counter is atomic because a running query can move
/// between threads.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// No value: a missing property, or an operation without a result.
    #[default]
    Undefined,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number of 64 bits, exact.
    Integer(i64),
    /// Any other number, including NaN and the infinities, which are rejected only when they are printed.
    Double(f64),
    /// Text.
    String(Arc<str>),
    /// Elements in order; never undefined ones.
    Array(Arc<[Value]>),
    /// Properties in order; never undefined ones.
    Object(ValueObject),
}

/// Properties in the order in which they were written; names are unique.
#[derive(Clone, Debug)]
pub struct ValueObject {
    properties: Arc<[(Arc<str>, Value)]>,
}

impl Value {
    /// An array of these elements; undefined ones are left out.
    pub fn array(elements: impl IntoIterator<Item = Self>) -> Self {
        Self::Array(elements.into_iter().filter(Self::is_defined).collect())
    }

    /// An object of these properties; undefined ones are left out, the last of a repeated name stays.
    pub fn object<N: Into<Arc<str>>>(properties: impl IntoIterator<Item = (N, Self)>) -> Self {
        Self::Object(ValueObject::new(properties))
    }

    /// Whether it is a value other than undefined.
    #[must_use]
    pub fn is_defined(&self) -> bool {
        !matches!(self, Self::Undefined)
    }

    /// Whether it is a number of either kind.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Integer(_) | Self::Double(_))
    }

    /// The Boolean; `None` for any other value, which logic treats as undefined.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The properties of an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&ValueObject> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The nearest double of a number.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Integer(integer) => Some(*integer as f64),
            Self::Double(double) => Some(*double),
            _ => None,
        }
    }

    /// The number as an integer, if it is whole and in the 64-bit range; `1.0` counts.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Integer(integer) => Some(*integer),
            Self::Double(double) => super::number::exact_integer(*double),
            _ => None,
        }
    }

    /// The value of a property; undefined if this is not an object or has no such property.
    #[must_use]
    pub fn property(&self, name: &str) -> Self {
        self.as_object().and_then(|object| object.get(name)).cloned().unwrap_or_default()
    }

    /// The element at a position; undefined if this is not an array or has no such element.
    #[must_use]
    pub fn element(&self, position: usize) -> Self {
        self.as_array().and_then(|elements| elements.get(position)).cloned().unwrap_or_default()
    }
}

impl ValueObject {
    /// An object of these properties; undefined ones are left out, the last of a repeated name stays.
    pub fn new<N: Into<Arc<str>>>(properties: impl IntoIterator<Item = (N, Value)>) -> Self {
        /// Up to this many properties, a linear search is faster than a hash table.
        const FEW_PROPERTIES: usize = 32;
        let mut kept: Vec<(Arc<str>, Value)> = Vec::new();
        let mut positions: HashMap<Arc<str>, usize> = HashMap::new();
        for (name, value) in properties {
            let name = name.into();
            // Left out before the name is looked up: an undefined value does not replace an earlier one.
            if !value.is_defined() {
                continue;
            }
            if kept.len() == FEW_PROPERTIES {
                let names = kept.iter().map(|(name, _)| name.clone());
                positions = names.enumerate().map(|(position, name)| (name, position)).collect();
            }
            let known = if kept.len() < FEW_PROPERTIES {
                kept.iter().position(|(known, _)| *known == name)
            } else {
                positions.get(&name).copied()
            };
            // The last value of a repeated name wins, at the position of the first.
            match known.and_then(|position| kept.get_mut(position)) {
                Some((_, existing)) => *existing = value,
                None => {
                    if kept.len() >= FEW_PROPERTIES {
                        positions.insert(name.clone(), kept.len());
                    }
                    kept.push((name, value));
                }
            }
        }
        Self { properties: kept.into() }
    }

    /// Properties whose names are known to be unique and whose values are known to be defined.
    pub(super) fn from_unique(properties: Vec<(Arc<str>, Value)>) -> Self {
        Self { properties: properties.into() }
    }

    /// The value of a property.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.properties.iter().find(|(known, _)| &**known == name).map(|(_, value)| value)
    }

    /// The number of properties.
    #[must_use]
    pub fn len(&self) -> usize {
        self.properties.len()
    }

    /// Whether there are no properties.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    /// Properties in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &Value)> {
        self.properties.iter().map(|(name, value)| (name, value))
    }

    /// Properties sorted by name, to compare two objects regardless of order.
    pub(super) fn sorted(&self) -> Vec<(&str, &Value)> {
        let mut properties: Vec<_> = self.iter().map(|(name, value)| (&**name, value)).collect();
        properties.sort_unstable_by_key(|(name, _)| *name);
        properties
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Double(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

/// `None` becomes undefined: this converts three-valued results and failed steps.
impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Undefined, Into::into)
    }
}
