//! The id of a tenant, and why a text is none.
//!
//! Owns the rules: `^[a-z0-9-]{1,64}$` after ASCII letters are lowered. Does not trim: a blank is a mistake that the
//! caller should see. The id is part of partition keys, so no character may be one that separates.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The tenant of programs that know of none.
pub const DEFAULT_SERVICE_ID: &str = "default";

const CHARS_MAX: usize = 64;

/// The id of a tenant. It can only be built validated.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ServiceId(String);

/// Why there is no tenant. Each way to fail has its own variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceIdError {
    /// The text is empty.
    Empty,
    /// The text is longer than 64 characters.
    TooLong {
        /// Its length.
        chars: usize,
    },
    /// A `|`, which separates the parts of a partition key.
    Separator,
    /// A `/`, which separates the parts of an actor key.
    Slash,
    /// A blank, at any place.
    WhiteSpace,
    /// A control character, line breaks included.
    Control,
    /// Another character than a letter of ASCII, a digit or `-`.
    Character(char),
    /// The call is not made on behalf of a request, so there is no token.
    NoRequest,
    /// The token has no such claim.
    ClaimMissing {
        /// The name of the claim.
        claim: String,
    },
    /// The claim is there and empty.
    ClaimEmpty {
        /// The name of the claim.
        claim: String,
    },
    /// The claim is there and no valid id.
    ClaimInvalid {
        /// The name of the claim.
        claim: String,
        /// What is wrong with its value.
        reason: Box<ServiceIdError>,
    },
    /// The claim is there and no text.
    ClaimNoText {
        /// The name of the claim.
        claim: String,
    },
    /// Nobody said which tenant, where one has to be named.
    Required,
    /// An actor key without a tenant, where one has to be named.
    ActorKey,
}

impl ServiceId {
    /// Validates and normalizes a text.
    ///
    /// # Errors
    /// The rule that it breaks.
    pub fn parse(text: &str) -> Result<Self, ServiceIdError> {
        if text.is_empty() {
            return Err(ServiceIdError::Empty);
        }
        for char in text.chars() {
            match char {
                'a'..='z' | 'A'..='Z' | '0'..='9' | '-' => {}
                '|' => return Err(ServiceIdError::Separator),
                '/' => return Err(ServiceIdError::Slash),
                control if control.is_control() => return Err(ServiceIdError::Control),
                blank if blank.is_whitespace() => return Err(ServiceIdError::WhiteSpace),
                other => return Err(ServiceIdError::Character(other)),
            }
        }
        // Bytes are characters here: everything else was refused above.
        if text.len() > CHARS_MAX {
            return Err(ServiceIdError::TooLong { chars: text.len() });
        }
        // Of ASCII only: rules of a locale would make two ids of one text.
        Ok(Self(text.to_ascii_lowercase()))
    }

    /// The tenant of programs that know of none.
    #[must_use]
    pub fn default_tenant() -> Self {
        Self(DEFAULT_SERVICE_ID.to_owned())
    }

    /// Whether it is the tenant of programs that know of none.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.0 == DEFAULT_SERVICE_ID
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ServiceIdError {
    /// A stable code for programs: `service_id_missing`, `service_id_empty`, `service_id_invalid`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoRequest | Self::ClaimMissing { .. } | Self::Required | Self::ActorKey => {
                "service_id_missing"
            }
            Self::Empty | Self::ClaimEmpty { .. } => "service_id_empty",
            _ => "service_id_invalid",
        }
    }
}

impl fmt::Display for ServiceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for ServiceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ServiceId({})", self.0)
    }
}

impl TryFrom<String> for ServiceId {
    type Error = ServiceIdError;

    fn try_from(text: String) -> Result<Self, ServiceIdError> {
        Self::parse(&text)
    }
}

impl From<ServiceId> for String {
    fn from(id: ServiceId) -> Self {
        id.0
    }
}

impl fmt::Display for ServiceIdError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("a service id is not empty"),
            Self::TooLong { chars } => {
                write!(formatter, "a service id has at most {CHARS_MAX} characters, not {chars}")
            }
            Self::Separator => formatter.write_str("a service id has no '|'"),
            Self::Slash => formatter.write_str("a service id has no '/'"),
            Self::WhiteSpace => formatter.write_str("a service id has no blanks"),
            Self::Control => formatter.write_str("a service id has no control characters"),
            Self::Character(char) => write!(
                formatter,
                "a service id has letters a to z, digits and '-', not '{}'",
                char.escape_unicode()
            ),
            Self::NoRequest => {
                formatter.write_str("the service id is read from a token, and there is no request")
            }
            Self::ClaimMissing { claim } => write!(formatter, "the token has no claim '{claim}'"),
            Self::ClaimEmpty { claim } => {
                write!(formatter, "the claim '{claim}' of the token is empty")
            }
            Self::ClaimInvalid { claim, reason } => {
                write!(formatter, "the claim '{claim}' of the token is no service id: {reason}")
            }
            Self::ClaimNoText { claim } => {
                write!(formatter, "the claim '{claim}' of the token is no text")
            }
            Self::Required => formatter
                .write_str("no service id was given; name one, nothing falls back to 'default'"),
            Self::ActorKey => formatter
                .write_str("the actor key names no service; write it as '{service id}/{entity}'"),
        }
    }
}

impl std::error::Error for ServiceIdError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dc_a1_valid_ids_are_normalized() {
        let longest = "a".repeat(64);
        let valid = [("default", "default"), ("Service-01", "service-01"), ("a", "a")];
        for (text, stored) in valid.into_iter().chain([(longest.as_str(), longest.as_str())]) {
            assert_eq!(ServiceId::parse(text).unwrap().as_str(), stored);
        }
    }

    #[test]
    fn dc_a1_each_invalid_id_has_its_own_reason() {
        let long = "a".repeat(65);
        let wrong = [
            ("", ServiceIdError::Empty),
            (" bad", ServiceIdError::WhiteSpace),
            ("bad ", ServiceIdError::WhiteSpace),
            ("bad|x", ServiceIdError::Separator),
            ("bad/x", ServiceIdError::Slash),
            ("bad_x", ServiceIdError::Character('_')),
            (long.as_str(), ServiceIdError::TooLong { chars: 65 }),
            ("\u{fb00}", ServiceIdError::Character('\u{fb00}')),
            ("a\nb", ServiceIdError::Control),
            ("\u{131}", ServiceIdError::Character('\u{131}')),
            ("\u{212a}elvin", ServiceIdError::Character('\u{212a}')),
            ("\u{ff41}", ServiceIdError::Character('\u{ff41}')),
        ];
        for (text, reason) in wrong {
            assert_eq!(ServiceId::parse(text), Err(reason), "{text:?}");
        }
    }
}
