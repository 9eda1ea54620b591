//! The ids that users choose for databases, containers and items.
//!
//! Owns their validation. Does not own uniqueness or the percent encoding of paths.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use crate::limits::NAME_CHARACTERS_MAX;
use crate::{Result, ValidationError};

/// Characters that no name of a database or container may contain, because they would end or split a URL path.
const FORBIDDEN: [char; 4] = ['/', '\\', '?', '#'];
/// The only character that an item id may not contain. An id with '/' or '#' is stored, and is found by queries and
/// batches, although a path cannot name it.
const FORBIDDEN_IN_ITEM_ID: [char; 1] = ['\\'];

/// The length of item ids in the public documentation of the service. Shorter ones are refused, too; the message of an
/// id beyond it names this limit.
const ITEM_ID_NAMED_MAX: usize = 1024;

/// The id of a database. Clones share the text: every request carries some.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DatabaseId(Arc<str>);

/// The id of a container. Clones share the text: every request carries some.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContainerId(Arc<str>);

/// The id of an item, unique within its logical partition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(String);

impl DatabaseId {
    /// Validates the name.
    ///
    /// # Errors
    /// When it is empty, too long, ends with a space or contains a forbidden character.
    pub fn new(id: impl Into<String>) -> Result<Self> {
        validate_name(id.into()).map(|name| Self(name.into()))
    }
}

impl ContainerId {
    /// Validates the name.
    ///
    /// # Errors
    /// When it is empty, too long, ends with a space or contains a forbidden character.
    pub fn new(id: impl Into<String>) -> Result<Self> {
        validate_name(id.into()).map(|name| Self(name.into()))
    }
}

impl ItemId {
    /// Validates the id.
    ///
    /// # Errors
    /// When it is empty, too long or contains a forbidden character.
    pub fn new(id: impl Into<String>) -> Result<Self> {
        let id = id.into();
        if id.is_empty() {
            return Err(ValidationError::new(
                "The input content is invalid because the required properties - 'id; ' - are missing. The item id is \
                 empty; give it at least one character.",
            ));
        }
        // Beyond the longer limit of the public documentation, the message names that one.
        check_length(&id, ITEM_ID_NAMED_MAX)?;
        check_length(&id, NAME_CHARACTERS_MAX)?;
        // After the length: the message of a forbidden character contains the whole id.
        refuse_characters(&id, &FORBIDDEN_IN_ITEM_ID)?;
        Ok(Self(id))
    }
}

/// The rules that databases and containers share.
fn validate_name(name: String) -> Result<String> {
    if name.is_empty() {
        return Err(ValidationError::new(
            "The input name presented is empty. Give it between 1 and 255 characters.",
        ));
    }
    check_length(&name, NAME_CHARACTERS_MAX)?;
    refuse_characters(&name, &FORBIDDEN)?;
    if name.ends_with(' ') {
        return Err(ValidationError::new(format!(
            "The input name presented contains invalid character. The name '{name}' ends with a space."
        )));
    }
    Ok(name)
}

fn check_length(name: &str, characters_max: usize) -> Result<()> {
    // No more characters than bytes: nearly every id is accepted without counting.
    if name.len() <= characters_max {
        return Ok(());
    }
    let characters = name.chars().count();
    if characters <= characters_max {
        return Ok(());
    }
    Err(ValidationError::new(format!(
        "The input name '{}...' is invalid. Ensure to provide a unique non-empty string less than \
         '{characters_max}' characters. It has {characters} characters.",
        shorten(name)
    )))
}

fn refuse_characters(name: &str, forbidden: &[char]) -> Result<()> {
    // All of them are ASCII, so that bytes can be compared: no byte of a longer character is one of them.
    let is_forbidden = |byte: u8| forbidden.contains(&char::from(byte));
    let Some(character) = name.bytes().find(|byte| is_forbidden(*byte)).map(char::from) else {
        return Ok(());
    };
    let list: Vec<String> = forbidden.iter().map(|character| format!("'{character}'")).collect();
    Err(ValidationError::new(format!(
        "The input name presented contains invalid character. '{name}' holds '{character}', which is not allowed; \
         remove {}.",
        list.join(", ")
    )))
}

/// The start of a long id, for messages.
fn shorten(id: &str) -> String {
    id.chars().take(32).collect()
}

macro_rules! impl_id_text {
    ($($id:ty),+) => {$(
        impl $id {
            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $id {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $id {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    )+};
}

impl_id_text!(DatabaseId, ContainerId, ItemId);

// For look-ups by a text that need not be a valid id. Ids hash and compare like their text.
impl Borrow<str> for DatabaseId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ContainerId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_ids_are_accepted_as_they_are() {
        for id in ["d", "my database", "é🚀", "a+b%20", " leading"] {
            assert_eq!(DatabaseId::new(id).unwrap().to_string(), id);
            assert_eq!(ContainerId::new(id).unwrap().as_str(), id);
            assert_eq!(ItemId::new(id).unwrap().as_ref(), id);
        }
    }

    #[test]
    fn forbidden_characters_are_named() {
        for character in FORBIDDEN {
            let id = format!("a{character}b");
            let message = DatabaseId::new(id.as_str()).unwrap_err().to_string();
            assert!(message.starts_with("The input name presented contains invalid character."));
            assert!(message.contains(&format!("'{id}' holds '{character}'")), "{message}");
            assert!(ContainerId::new(id.as_str()).is_err());
            assert_eq!(ItemId::new(id).is_err(), character == '\\');
        }
    }

    #[test]
    fn lengths_end_at_the_limits() {
        assert!(DatabaseId::new("").is_err());
        assert!(ContainerId::new("é".repeat(255)).is_ok());
        assert!(ContainerId::new("é".repeat(256)).is_err());
        assert!(ItemId::new("").is_err());
        assert!(ItemId::new("é".repeat(255)).is_ok());
        let message = |length: usize| ItemId::new("a".repeat(length)).unwrap_err().to_string();
        assert!(message(256).contains("less than '255' characters."));
        assert!(message(1041).contains("less than '1024' characters."));
    }

    #[test]
    fn only_names_refuse_a_trailing_space() {
        assert!(DatabaseId::new("a ").is_err());
        assert!(ContainerId::new("a ").is_err());
        assert!(ItemId::new("a ").is_ok());
    }
}
