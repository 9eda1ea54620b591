//! Etags: opaque versions of one resource.
//!
//! Owns their text, their bytes and how a client's condition matches them. Does not own preconditions: which operation
//! fails when one does not match is decided elsewhere.

use std::fmt;

use super::TimestampSeconds;
use crate::{Invalid, Result};

/// Bytes of a stored etag.
const ETAG_BYTES: usize = 16;

/// Version of one resource, new on each write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Etag {
    sequence: u64,
    partition: u32,
    /// The low 32 bits of the timestamp: informative only, the sequence alone makes etags differ.
    timestamp: u32,
}

/// What a client says an etag must be, as in `If-Match`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EtagCondition {
    /// `*`: any version of an existing resource.
    Any,
    /// One of these texts, quoted or not.
    OneOf(Vec<String>),
}

impl Etag {
    /// The etag of a write: its number in a physical partition, that partition, and when it happened.
    #[must_use]
    pub fn new(sequence: u64, partition: u32, timestamp: TimestampSeconds) -> Self {
        Self {
            sequence,
            partition,
            timestamp: timestamp.0 as u32,
        }
    }

    /// The bytes to store.
    #[must_use]
    pub fn to_bytes(self) -> [u8; ETAG_BYTES] {
        let number = u128::from(self.sequence) << 64
            | u128::from(self.partition) << 32
            | u128::from(self.timestamp);
        number.to_be_bytes()
    }

    /// Reads stored bytes.
    ///
    /// # Errors
    /// When they are not as many as an etag has.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let number = bytes.try_into().map(u128::from_be_bytes).map_err(|_| {
            Invalid::new(format!(
                "A stored etag has {ETAG_BYTES} bytes, not {}.",
                bytes.len()
            ))
        })?;
        Ok(Self {
            sequence: (number >> 64) as u64,
            partition: (number >> 32) as u32,
            timestamp: number as u32,
        })
    }

    /// Whether a client's text names this etag: itself, with or without quotes, one in a list, or `*`.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        EtagCondition::parse(text).matches(self)
    }
}

impl EtagCondition {
    /// Reads the text of a condition: `*`, or etags joined by commas.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        if text.trim() == "*" {
            return Self::Any;
        }
        Self::OneOf(text.split(',').map(|etag| etag.trim().to_owned()).collect())
    }

    /// Whether an existing resource of this etag meets the condition.
    #[must_use]
    pub fn matches(&self, etag: &Etag) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf(texts) => {
                let quoted = etag.to_string();
                let bare = quoted.trim_matches('"');
                texts.iter().any(|text| *text == quoted || text == bare)
            }
        }
    }
}

/// The quoted form of the service. The sequence fills the first, second and fourth group, the physical partition the
/// third and the end of the last, so that two etags print alike only if they are equal.
impl fmt::Display for Etag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            sequence,
            partition,
            timestamp,
        } = *self;
        write!(
            formatter,
            "\"{:08x}-{:04x}-{:04x}-{:04x}-{timestamp:08x}{:04x}\"",
            sequence as u32,
            (sequence >> 32) as u16,
            partition as u16,
            (sequence >> 48) as u16,
            (partition >> 16) as u16,
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn recorded() -> Etag {
        Etag::new(0x6201_E654, 0x0100, TimestampSeconds(1_791_622_915))
    }

    #[test]
    fn the_text_is_the_services() {
        assert_eq!(
            recorded().to_string(),
            "\"6201e654-0000-0100-0000-6ac9ff030000\""
        );
    }

    #[test]
    fn a_condition_names_any_one_or_several() {
        let etag = recorded();
        let quoted = etag.to_string();
        assert!(etag.matches("*") && etag.matches(" * "));
        assert!(etag.matches(&quoted) && etag.matches(quoted.trim_matches('"')));
        assert!(etag.matches(&format!("\"other\", {quoted}")));
        assert!(!etag.matches("") && !etag.matches("\"other\"") && !etag.matches("\"*\""));
        assert!(!etag.matches(&Etag::new(1, 0, TimestampSeconds(0)).to_string()));
    }

    #[test]
    fn other_bytes_are_not_an_etag() {
        let error = Etag::from_bytes(&[0; 12]).unwrap_err();
        assert_eq!(error.message(), "A stored etag has 16 bytes, not 12.");
    }

    fn etag() -> impl Strategy<Value = Etag> {
        (any::<u64>(), any::<u32>(), any::<u64>()).prop_map(|(sequence, partition, seconds)| {
            Etag::new(sequence, partition, TimestampSeconds(seconds))
        })
    }

    proptest! {
        #[test]
        fn an_etag_survives_its_bytes(etag in etag()) {
            prop_assert_eq!(Etag::from_bytes(&etag.to_bytes()).unwrap(), etag);
        }

        #[test]
        fn different_etags_print_differently(left in etag(), right in etag(), bit in 0u32..64) {
            prop_assert_eq!(left.to_string() == right.to_string(), left == right);
            let near = Etag { sequence: left.sequence ^ (1 << bit), ..left };
            prop_assert_ne!(near.to_string(), left.to_string());
            prop_assert!(!left.matches(&near.to_string()));
        }
    }
}
