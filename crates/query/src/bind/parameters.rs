//! The parameters passed with a query.
//!
//! Owns the rules for their names. A parameter that is not passed, or passed without a value, is undefined; one that
//! the query does not use is ignored.

use model::Json;

use crate::error::{QueryError, text};
use crate::lexer::is_identifier;

/// Parameters in the order they were passed.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    list: Vec<(String, Option<Json>)>,
}

impl Parameters {
    /// No parameters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a parameter; its name starts with `@`. Names are checked when a query is bound.
    pub fn push(&mut self, name: impl Into<String>, value: Option<Json>) {
        self.list.push((name.into(), value));
    }

    /// The value of a parameter; none when it is undefined.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Json> {
        self.list.iter().find(|(known, _)| known == name)?.1.as_ref()
    }

    /// What is wrong with the names.
    pub(super) fn check(&self) -> Vec<QueryError> {
        let mut errors = Vec::new();
        for (index, (name, _)) in self.list.iter().enumerate() {
            let is_valid = name.strip_prefix('@').is_some_and(is_identifier);
            if !is_valid {
                errors.push(text::invalid_parameter(name));
            }
            if self.list.iter().take(index).any(|(earlier, _)| earlier == name) {
                errors.push(text::duplicate_parameter(name));
            }
        }
        errors
    }
}

impl<N: Into<String>> FromIterator<(N, Option<Json>)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (N, Option<Json>)>>(list: I) -> Self {
        Self { list: list.into_iter().map(|(name, value)| (name.into(), value)).collect() }
    }
}
