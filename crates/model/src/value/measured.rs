//! A value together with its printed size and nesting depth.
//!
//! A measured value cannot be changed, so its measurements stay correct. The parser computes them while it reads;
//! values that were never text are traversed once. Does not own the limits that the measurements are compared with.

use super::Json;
use super::print::printed_string_bytes;

/// A JSON value whose printed size and nesting depth are known.
///
/// ```
/// use planisphere_model::{Json, MeasuredJson};
///
/// let parsed = MeasuredJson::parse(br#"{ "id": "1", "tags": [ "\u0061" ] }"#)?;
/// assert_eq!(parsed.printed_bytes(), r#"{"id":"1","tags":["a"]}"#.len());
/// assert_eq!(parsed.nesting_levels(), 2);
///
/// // A value that was built instead of parsed is traversed once.
/// let built = MeasuredJson::from(Json::from("text"));
/// assert_eq!((built.printed_bytes(), built.nesting_levels()), (6, 0));
/// # Ok::<(), planisphere_model::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredJson {
    value: Json,
    size: JsonSize,
}

/// How large and how deep a value is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct JsonSize {
    pub(super) printed_bytes: usize,
    pub(super) nesting_levels: usize,
}

impl MeasuredJson {
    pub(super) fn new(value: Json, size: JsonSize) -> Self {
        Self { value, size }
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> &Json {
        &self.value
    }

    /// The value with all numbers as the service returns them; see [`crate::Number::to_service_form`]. Usually none
    /// changes, and the measurements stay.
    #[must_use]
    pub fn with_service_numbers(mut self) -> Self {
        if !set_service_numbers(&mut self.value) {
            return self;
        }
        Self::from(self.value)
    }

    /// The value, without its measurements.
    #[must_use]
    pub fn into_value(self) -> Json {
        self.value
    }

    /// The length of [`Json::to_bytes`], without printing the value.
    #[must_use]
    pub fn printed_bytes(&self) -> usize {
        self.size.printed_bytes
    }

    /// Depth of nested arrays and objects: 0 for a scalar, 1 for an array of scalars.
    #[must_use]
    pub fn nesting_levels(&self) -> usize {
        self.size.nesting_levels
    }
}

impl From<Json> for MeasuredJson {
    fn from(value: Json) -> Self {
        let size = measure(&value);
        Self { value, size }
    }
}

/// Sets all numbers to the form of the service; returns whether one has changed. Without recursion, as `measure`.
pub(crate) fn set_service_numbers(value: &mut Json) -> bool {
    let mut has_changed = false;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Json::Number(number) => {
                if let Some(form) = number.to_service_form() {
                    *number = form;
                    has_changed = true;
                }
            }
            Json::Array(elements) => open.extend(elements),
            Json::Object(object) => open.extend(object.values_mut()),
            Json::Null | Json::Bool(_) | Json::String(_) => {}
        }
    }
    has_changed
}

/// Measures without recursion. A value that was never text may be nested deeper than the stack allows, and callers rely
/// on this function to refuse it.
fn measure(value: &Json) -> JsonSize {
    let mut size = JsonSize::default();
    // The level is the one that the value has if it is an array or object. Scalars add no level.
    let mut open = vec![(value, 1)];
    while let Some((value, level)) = open.pop() {
        size.printed_bytes += match value {
            Json::Null | Json::Bool(true) => 4,
            Json::Bool(false) => 5,
            Json::Number(number) => number.printed_bytes(),
            Json::String(string) => printed_string_bytes(string),
            Json::Array(elements) => {
                size.nesting_levels = size.nesting_levels.max(level);
                open.extend(elements.iter().map(|element| (element, level + 1)));
                // Brackets, and a comma between two elements.
                2 + elements.len().saturating_sub(1)
            }
            Json::Object(object) => {
                size.nesting_levels = size.nesting_levels.max(level);
                open.extend(object.iter().map(|(_, value)| (value, level + 1)));
                let names: usize = object.iter().map(|(name, _)| printed_string_bytes(name)).sum();
                // Braces, a colon per property, a comma between two.
                2 + names + object.len() + object.len().saturating_sub(1)
            }
        };
    }
    size
}
