//! The stored properties of a database.
//!
//! Owns the id a client chose. Does not own system properties, throughput or containers.

use super::members::Members;
use crate::{DatabaseId, Json, Object, Result};

/// The properties of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseProperties {
    /// The name of the database.
    pub id: DatabaseId,
}

impl DatabaseProperties {
    /// Parses the wire form.
    ///
    /// # Errors
    /// When the id is absent or not a name.
    pub fn from_json(json: &Json) -> Result<Self> {
        let id = Members::new("database", json)?.required_id()?;
        Ok(Self { id: DatabaseId::new(id)? })
    }

    /// The wire form, without system properties.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("id", self.id.as_str());
        Json::Object(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_required() {
        let read =
            |text: &str| DatabaseProperties::from_json(&Json::parse(text.as_bytes()).unwrap());
        assert_eq!(read(r#"{"id":"d"}"#).unwrap().to_json().to_string(), r#"{"id":"d"}"#);
        assert_eq!(
            read("{}").unwrap_err().message(),
            "The input content is invalid because the required properties - 'id; ' - are missing."
        );
        assert!(read(r#"{"id":"a/b"}"#).is_err());
    }
}
