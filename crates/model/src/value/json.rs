//! The value tree.
//!
//! Owns the shape of a JSON value with the client's property order and exact numbers. Does not own text: see `parse`
//! and `print`.

use super::Number;

/// A JSON value, equal by value: `1` equals `1.0`, property order is irrelevant. Absence (undefined) is expressed by
/// `Option<&Json>`, never by a variant.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, exact as sent.
    Number(Number),
    /// Text.
    String(String),
    /// Elements in order.
    Array(Vec<Json>),
    /// Properties in the client's order.
    Object(Object),
}

/// Properties in the order they were sent; names are unique. Equality ignores the order.
#[derive(Clone, Debug, Default)]
pub struct Object {
    // A list, not a map: items have few properties, a search is faster than a hash, and the order must be kept.
    properties: Vec<(String, Json)>,
}

impl Object {
    /// An object without properties.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a property.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.properties.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The value of a property, mutable.
    #[must_use]
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Json> {
        self.properties.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Sets a property. An existing one keeps its position, a new one is appended.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Json>) {
        let (name, value) = (name.into(), value.into());
        match self.get_mut(&name) {
            Some(existing) => *existing = value,
            None => self.properties.push((name, value)),
        }
    }

    /// Removes a property and keeps the order of the others.
    pub fn remove(&mut self, name: &str) -> Option<Json> {
        let index = self.properties.iter().position(|(known, _)| known == name)?;
        // Not `swap_remove`: the client sees its own order again.
        Some(self.properties.remove(index).1)
    }

    /// Number of properties.
    #[must_use]
    pub fn len(&self) -> usize {
        self.properties.len()
    }

    /// Whether the object has no properties.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    /// Properties in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.properties.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Values in the order of their properties.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Json> {
        self.properties.iter_mut().map(|(_, value)| value)
    }

    /// Properties sorted by name, to compare without regard to order.
    fn sorted(&self) -> Vec<(&str, &Json)> {
        let mut properties: Vec<_> = self.iter().collect();
        // Names are unique, so an unstable sort has one result only.
        properties.sort_unstable_by_key(|(name, _)| *name);
        properties
    }

    /// Replaces the value of the property at an index. The index must exist.
    pub(super) fn set_at(&mut self, index: usize, value: Json) {
        if let Some((_, existing)) = self.properties.get_mut(index) {
            *existing = value;
        }
    }

    /// Appends a property without searching for an existing one. The name must be new.
    pub(super) fn push_new(&mut self, name: String, value: Json) {
        self.properties.push((name, value));
    }
}

impl IntoIterator for Object {
    type Item = (String, Json);
    type IntoIter = std::vec::IntoIter<(String, Json)>;

    /// Properties in order.
    fn into_iter(self) -> Self::IntoIter {
        self.properties.into_iter()
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        // Compare the values only once, in one of the two ways below: comparing them twice would double the work at
        // each level of nesting.
        let names_agree =
            self.iter().zip(other.iter()).all(|((left, _), (right, _))| left == right);
        if names_agree {
            return self.properties == other.properties;
        }
        self.sorted() == other.sorted()
    }
}

impl Json {
    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a Boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The value of an integer in the 64-bit range; `1.0` counts as one.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(number) => number.as_i64(),
            _ => None,
        }
    }

    /// The properties of an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The elements of an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Self::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// A property of an object; none for any other value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.as_object()?.get(name)
    }

    /// The name of the value's type, for messages.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "Boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Self::Number(Number::from(value))
    }
}

impl From<Object> for Json {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl From<Vec<Json>> for Json {
    fn from(elements: Vec<Json>) -> Self {
        Self::Array(elements)
    }
}
