//! The parameters passed with a query.
//!
//! Owns the rules for their names. A parameter that is missing or has no value is undefined; one that the query does
//! not use is ignored.

use std::collections::{HashMap, HashSet};

use model::Json;

use crate::error::{QueryError, text};
use crate::lexer::is_identifier;

/// Parameters in the order in which they were passed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    names: Vec<String>,
    /// The first value passed for each name; undefined ones are left out.
    values: HashMap<String, Json>,
}

impl Parameters {
    /// No parameters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a parameter; its name starts with `@`. Names are checked when a query is bound.
    pub fn push(&mut self, name: impl Into<String>, value: Option<Json>) {
        let name = name.into();
        if let Some(value) = value {
            // The first value wins; the duplicate name is rejected when the query is bound.
            self.values.entry(name.clone()).or_insert(value);
        }
        self.names.push(name);
    }

    /// The value of a parameter; `None` if it is undefined.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Json> {
        self.values.get(name)
    }

    /// All names with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<&Json>)> {
        self.names.iter().map(|name| (name.as_str(), self.value(name)))
    }

    /// Whether the values take more bytes of text than this; reads no further than that.
    #[must_use]
    pub fn exceed(&self, bytes_max: usize) -> bool {
        let mut left = bytes_max;
        !self.values.values().all(|value| fits(value, &mut left))
    }

    /// Checks the names.
    pub(super) fn check(&self) -> Vec<QueryError> {
        let mut errors = Vec::new();
        let mut known = HashSet::new();
        for name in &self.names {
            // A name that the lexer could not read as a parameter could never be used in the text.
            let is_valid = name.strip_prefix('@').is_some_and(is_identifier);
            if !is_valid {
                errors.push(text::invalid_parameter(name));
            }
            if !known.insert(name) {
                errors.push(text::duplicate_parameter(name));
            }
        }
        errors
    }
}

/// Whether a value fits into the bytes that are left, which are then less.
fn fits(value: &Json, left: &mut usize) -> bool {
    // At least one byte and a separator.
    let own = 2 + if let Json::String(text) = value { text.len() } else { 0 };
    match left.checked_sub(own) {
        Some(rest) => *left = rest,
        None => return false,
    }
    match value {
        Json::Array(elements) => elements.iter().all(|element| fits(element, left)),
        Json::Object(object) => object.iter().all(|(_, value)| fits(value, left)),
        _ => true,
    }
}

impl<N: Into<String>> FromIterator<(N, Option<Json>)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (N, Option<Json>)>>(list: I) -> Self {
        let mut parameters = Self::new();
        for (name, value) in list {
            parameters.push(name, value);
        }
        parameters
    }
}
