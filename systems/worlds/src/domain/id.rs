//! Ids of worlds and entities.
//!
//! Owns their form. The server makes random UUIDs; imports may bring any id of the legal form.

use std::fmt;

use client::{Environment, Json, PartitionKey, PartitionKeyValue};
use serde::{Deserialize, Serialize};

/// The most bytes of an id.
const BYTES_MAX: usize = 100;

/// The id of a world, which is also the id of its root entity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorldId(String);

/// The id of an entity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntityId(String);

impl WorldId {
    /// A new id.
    #[must_use]
    pub fn random(environment: &Environment) -> Self {
        Self(random_text(environment))
    }

    /// Parses an id.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn parse(text: impl Into<String>) -> Result<Self, String> {
        parse(text.into()).map(Self)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id of the root entity.
    #[must_use]
    pub fn root(&self) -> EntityId {
        EntityId(self.0.clone())
    }

    /// The partition key of items that have only the world as their key, and the prefix of the others.
    #[must_use]
    pub fn partition_key(&self) -> PartitionKey {
        self.0.as_str().into()
    }

    /// The full partition key of an entity of this world.
    #[must_use]
    pub fn entity_key(&self, entity: &EntityId) -> PartitionKey {
        let values = [self.0.as_str(), entity.0.as_str()];
        PartitionKey::from_values(values.map(PartitionKeyValue::from))
    }
}

impl EntityId {
    /// A new id.
    #[must_use]
    pub fn random(environment: &Environment) -> Self {
        Self(random_text(environment))
    }

    /// Parses an id.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn parse(text: impl Into<String>) -> Result<Self, String> {
        parse(text.into()).map(Self)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn parse(text: String) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if text.is_empty() || text.len() > BYTES_MAX || !text.chars().all(fits) {
        return Err(format!(
            "is no id: 1 to {BYTES_MAX} letters, digits, '-', '_' and '.' are allowed"
        ));
    }
    Ok(text)
}

/// The text of a random UUID, version 4.
pub(crate) fn random_text(environment: &Environment) -> String {
    let bytes = uuid::Uuid::from_u64_pair(environment.random(), environment.random()).into_bytes();
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}

impl fmt::Display for WorldId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<&WorldId> for Json {
    fn from(id: &WorldId) -> Self {
        id.as_str().into()
    }
}

impl From<&EntityId> for Json {
    fn from(id: &EntityId) -> Self {
        id.as_str().into()
    }
}

#[cfg(test)]
mod tests {
    use super::EntityId;

    #[test]
    fn an_id_has_letters_digits_and_three_signs() {
        for right in ["a", "char-1", "b8e8e7e2-1c2d-4c3a-9e7b-2a1b2c3d4e5f", "A_b.c"] {
            assert_eq!(EntityId::parse(right).unwrap().as_str(), right);
        }
        for wrong in ["", "a/b", "a b", "ä", "a:b", &"x".repeat(101)] {
            assert!(EntityId::parse(wrong).is_err(), "{wrong}");
        }
    }
}
