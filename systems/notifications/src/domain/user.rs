//! The id of a user.
//!
//! Owns the rules for user ids and their hash, which logs show instead, so that a log names nobody.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Id of a user: the partition key of every container.
///
/// It is also the item id of the user's preferences, so it follows the rules for item ids.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UserId(String);

/// The longest user id, in bytes.
const USER_ID_BYTES_MAX: usize = 255;

impl UserId {
    /// Validates an id.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        let is_forbidden = |c: char| matches!(c, '/' | '\\' | '?' | '#') || c.is_control();
        if text.is_empty()
            || text.len() > USER_ID_BYTES_MAX
            || text.trim() != text
            || text.contains(is_forbidden)
        {
            return Err(format!(
                "a user id has 1 to {USER_ID_BYTES_MAX} bytes, none of / \\ ? #, no control characters \
                 and no spaces around it"
            ));
        }
        Ok(Self(text))
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The partition key of everything that belongs to this user.
    #[must_use]
    pub fn partition_key(&self) -> client::PartitionKey {
        self.as_str().into()
    }

    /// What logs show instead of the id: the first half of its SHA-256, in hexadecimal.
    #[must_use]
    pub fn hash_hex(&self) -> String {
        let digest = ring::digest::digest(&ring::digest::SHA256, self.0.as_bytes());
        digest.as_ref().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Shows the hash and never the id.
impl fmt::Debug for UserId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "UserId({})", self.hash_hex())
    }
}
