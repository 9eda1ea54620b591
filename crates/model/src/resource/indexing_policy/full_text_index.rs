//! Full-text indexes: which paths of the full-text policy are indexed.
//!
//! Owns the definition, its wire form and its check against the policy. Does not own languages or terms.

use crate::resource::full_text::FullTextPolicy;
use crate::resource::members::Members;
use crate::{Json, Object, PropertyPath, Result, ValidationError};

/// One path with a full-text index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FullTextIndex {
    /// Path of the text.
    pub path: PropertyPath,
}

impl FullTextIndex {
    pub(super) fn list_from_json(elements: &[Json]) -> Result<Vec<Self>> {
        let read = |(index, element): (usize, &Json)| Self::from_json(index, element);
        elements.iter().enumerate().map(read).collect()
    }

    fn from_json(index: usize, json: &Json) -> Result<Self> {
        let path = Members::new("full-text index", json)?.text("path")?.ok_or_else(|| {
            ValidationError::new(format!(
                "Missing path in full-text index specification at index ({index})"
            ))
        })?;
        let path = PropertyPath::parse(path).map_err(|_| {
            ValidationError::new(format!(
                "Full-text index specification at index ({index}) contains invalid path: {path}"
            ))
        })?;
        Ok(Self { path })
    }

    pub(super) fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("path", self.path.to_string());
        Json::Object(object)
    }

    /// Checks that the full-text policy contains the path.
    pub(super) fn validate(&self, policy: Option<&FullTextPolicy>) -> Result<()> {
        if policy.is_some_and(|policy| policy.language_of(&self.path).is_some()) {
            return Ok(());
        }
        Err(ValidationError::new(format!(
            "The path of the Full Text Index {} does not match the path specified in the Full Text \
             Policy",
            self.path
        )))
    }
}
