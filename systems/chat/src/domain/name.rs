//! Names of rooms and users: both are partition keys, a room's name also is its item id.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The longest name, in characters.
const NAME_CHARS_MAX: usize = 255;
/// Items of `users` that are no users begin with this.
const RESERVED_PREFIX: &str = "email:";

/// The name of a room; compared exactly.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RoomName(String);

/// The name of a user: who somebody is, everywhere.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UserName(String);

impl RoomName {
    /// Validates a name.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if is_name(text) {
            return Ok(Self(text.to_owned()));
        }
        Err(format!("'{}' is no name of a room: {}", shown(text), rule()))
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl UserName {
    /// Validates a name.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if is_name(text) && !text.starts_with(RESERVED_PREFIX) {
            return Ok(Self(text.to_owned()));
        }
        let rule = rule();
        Err(format!(
            "'{}' is no name of a user: {rule}, and not '{RESERVED_PREFIX}' in front",
            shown(text)
        ))
    }

    /// Its text. Personal data: log [`UserName::log_name`] instead.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A pseudonym for logs.
    #[must_use]
    pub fn log_name(&self) -> String {
        let digest = ring::digest::digest(&ring::digest::SHA256, self.0.as_bytes());
        digest.as_ref().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
    }
}

fn is_name(text: &str) -> bool {
    let is_forbidden = |c: char| matches!(c, '/' | '\\' | '?' | '#') || c.is_control();
    let length = text.chars().count();
    (1..=NAME_CHARS_MAX).contains(&length) && text.trim() == text && !text.contains(is_forbidden)
}

fn rule() -> String {
    format!(
        "1 to {NAME_CHARS_MAX} characters, none of / \\ ? #, no control characters, no spaces around it"
    )
}

/// A refused text may be long or full of line ends; an error shows its beginning.
fn shown(text: &str) -> String {
    text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

impl fmt::Display for RoomName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for UserName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Shows the pseudonym.
impl fmt::Debug for UserName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "UserName({})", self.log_name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_item_ids_and_users_cannot_take_a_reservation() {
        for good in ["general", "a b", "Räume", &"x".repeat(255)] {
            assert!(RoomName::parse(good).is_ok(), "{good}");
        }
        for bad in ["", " a", "a/b", "a\\b", "a?b", "a#b", "a\nb", &"x".repeat(256)] {
            assert!(RoomName::parse(bad).is_err(), "{bad}");
        }
        assert!(UserName::parse("alice@example.com").is_ok());
        assert!(UserName::parse("email:alice@example.com").is_err());
    }
}
