//! Why keys cannot be read, and why a token is refused.
//!
//! Owns the messages. They are predicates, so that a caller can put its own subject in front: "The token {error}."

use std::error::Error;
use std::fmt;

/// Why the keys of an issuer cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySourceError(String);

impl KeySourceError {
    #[cfg(feature = "verify")]
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for KeySourceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Error for KeySourceError {}

/// Why a token is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenError {
    /// It is not a JWT.
    Malformed(&'static str),
    /// Its header requires extensions.
    Extensions,
    /// It does not name its key.
    MissingKeyId,
    /// Its algorithm is unknown or not allowed.
    AlgorithmNotAllowed(String),
    /// The keys of the issuer cannot be read.
    KeysUnavailable(KeySourceError),
    /// The issuer does not publish its key.
    UnknownKey(Option<String>),
    /// Its key does not match its signature or its algorithm.
    Signature {
        /// The key that it names.
        key_id: Option<String>,
        /// The algorithm that it names.
        algorithm: String,
    },
    /// It is from another issuer.
    Issuer {
        /// The issuer of the token.
        found: Option<String>,
        /// The issuer that is trusted.
        expected: String,
    },
    /// It is for somebody else.
    Audience {
        /// The audiences of the token.
        found: Vec<String>,
        /// The audiences that are accepted.
        expected: Vec<String>,
    },
    /// It does not expire.
    MissingExpiry,
    /// It has expired.
    Expired,
    /// It is not valid yet.
    NotYetValid,
}

impl fmt::Display for TokenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(detail) => formatter.write_str(detail),
            Self::Extensions => {
                formatter.write_str("demands extensions ('crit') that are not known here")
            }
            Self::MissingKeyId => formatter.write_str("does not name its key ('kid')"),
            Self::AlgorithmNotAllowed(algorithm) => {
                write!(formatter, "is refused because the algorithm {algorithm} is not accepted")
            }
            Self::KeysUnavailable(error) => {
                write!(
                    formatter,
                    "cannot be checked: the keys of the issuer cannot be read: {error}"
                )
            }
            Self::UnknownKey(Some(key_id)) => {
                write!(formatter, "is signed by '{key_id}', a key its issuer does not publish")
            }
            Self::UnknownKey(None) => {
                formatter.write_str("does not name its key ('kid'), and its issuer has several")
            }
            Self::Signature { key_id: Some(key_id), algorithm } => {
                write!(formatter, "is not signed by the key '{key_id}' under '{algorithm}'")
            }
            Self::Signature { key_id: None, algorithm } => {
                write!(formatter, "is not signed by a key of its issuer under '{algorithm}'")
            }
            Self::Issuer { found, expected } => {
                let found = found.as_deref().unwrap_or("nobody");
                write!(formatter, "is by '{found}' and not by '{expected}'")
            }
            Self::Audience { found, expected } => {
                write!(formatter, "is meant for {found:?} and not for {expected:?}")
            }
            Self::MissingExpiry => formatter.write_str("has no time 'exp' at which it ends"),
            Self::Expired => formatter.write_str("has expired"),
            Self::NotYetValid => formatter.write_str("is not valid yet"),
        }
    }
}

impl Error for TokenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::KeysUnavailable(error) => Some(error),
            _ => None,
        }
    }
}
