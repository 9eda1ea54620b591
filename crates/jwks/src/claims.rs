//! The claims of a token.
//!
//! Owns reading values of them. Whether they can be trusted depends on where they come from.

use serde_json::{Map, Value};

/// The claims of a token.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenClaims(Map<String, Value>);

impl TokenClaims {
    pub(crate) fn new(claims: Map<String, Value>) -> Self {
        Self(claims)
    }

    /// A claim that is a string.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// A claim that is an integer.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.0.get(name).and_then(Value::as_i64)
    }

    /// A claim that is a string or a list of strings.
    #[must_use]
    pub fn texts(&self, name: &str) -> Vec<String> {
        match self.0.get(name) {
            Some(Value::String(text)) => vec![text.clone()],
            Some(Value::Array(list)) => {
                list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether a claim is present, whatever its type.
    #[cfg(feature = "verify")]
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A time in seconds. Some issuers write fractions of seconds.
    #[cfg(feature = "verify")]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the cast saturates far beyond any lifetime"
    )]
    pub(crate) fn seconds(&self, name: &str) -> Option<i64> {
        self.0.get(name).and_then(Value::as_f64).map(|seconds| seconds.floor() as i64)
    }

    /// All claims.
    #[must_use]
    pub fn into_map(self) -> Map<String, Value> {
        self.0
    }
}
