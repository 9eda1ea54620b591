//! A text that is never printed.
//!
//! Owns the mask: neither `Debug` nor serde shows the text, so neither logs nor `settings show` can. Code that needs
//! the text calls [`Secret::expose`], which is easy to search for.

use std::fmt;

use ring::hmac;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Printed instead of a secret.
const MASKED: &str = "(secret)";
/// Printed instead of a secret that is not set.
const NOT_SET: &str = "(secret, not set)";

/// A text that only [`Secret::expose`] reveals.
#[derive(Clone, Default)]
pub struct Secret(String);

impl Secret {
    /// Hides a text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text. Never log it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether the text is not empty.
    #[must_use]
    pub fn is_set(&self) -> bool {
        !self.0.is_empty()
    }

    /// Compares with another text, in a time that does not reveal where they differ.
    #[must_use]
    pub fn matches(&self, other: &str) -> bool {
        // The MACs are compared in constant time. The key does not matter: the texts are hashed only to have equal
        // lengths.
        let key = hmac::Key::new(hmac::HMAC_SHA256, b"compare");
        let tag = hmac::sign(&key, self.0.as_bytes());
        hmac::verify(&key, other.as_bytes(), tag.as_ref()).is_ok()
    }

    /// Whether a serialized value is the mask of a secret.
    pub(super) fn is_mask(written: &serde_json::Value) -> bool {
        written.as_str().is_some_and(|text| text == MASKED || text == NOT_SET)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.is_set() { MASKED } else { NOT_SET })
    }
}

/// In time that does not depend on the texts; see [`Secret::matches`].
impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.matches(&other.0)
    }
}

impl Eq for Secret {}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(if self.is_set() { MASKED } else { NOT_SET })
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The usual error message for a wrong type would print the value.
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Ok(Self(text)),
            _ => Err(serde::de::Error::custom("a secret is a text")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_is_never_printed() {
        let secret = Secret::new("hush");
        assert_eq!(format!("{secret:?}"), "(secret)");
        assert_eq!(serde_json::to_string(&secret).unwrap(), "\"(secret)\"");
        assert_eq!(format!("{:?}", Secret::default()), "(secret, not set)");
        let wrong = serde_json::from_str::<Secret>("4711").unwrap_err().to_string();
        assert!(!wrong.contains("4711"), "{wrong}");
    }

    #[test]
    fn a_secret_is_compared_with_the_whole_text() {
        let secret = Secret::new("hush");
        assert!(secret.matches("hush"));
        for other in ["", "hus", "hush ", "HUSH"] {
            assert!(!secret.matches(other), "{other}");
        }
    }
}
