//! The wire form of an indexing policy.
//!
//! Owns member names, their defaults and the order in which they are printed. Does not own the rules for paths: see
//! `policy`.

use super::{
    CompositeIndex, FullTextIndex, IncludedPath, IndexPath, IndexingMode, IndexingPolicy,
    SpatialIndex, VectorIndex,
};
use crate::resource::members::Members;
use crate::{Json, Object, Result, ValidationError};

impl IndexingPolicy {
    /// Parses the wire form, adds the defaults of the service and validates it.
    ///
    /// # Errors
    /// When a member is malformed or the paths break a rule.
    pub fn from_json(json: &Json) -> Result<Self> {
        let members = Members::new("indexing policy", json)?;
        let included = members.array("includedPaths")?.iter();
        let excluded = members.array("excludedPaths")?.iter();
        let composite = members.array("compositeIndexes")?.iter();
        let spatial = members.array("spatialIndexes")?.iter();
        let vector = members.array("vectorIndexes")?.iter();
        // The service no longer reads this member and returns it as the mode implies; it must be a Boolean value still.
        members.boolean("automatic")?;
        let mut policy = Self {
            mode: parse_mode(members.text("indexingMode")?)?,
            included: included.map(included_from_json).collect::<Result<_>>()?,
            excluded: excluded.map(path_from_json).collect::<Result<_>>()?,
            composite: composite.map(CompositeIndex::from_json).collect::<Result<_>>()?,
            spatial: spatial.map(SpatialIndex::from_json).collect::<Result<_>>()?,
            vector: vector.map(VectorIndex::from_json).collect::<Result<_>>()?,
            full_text: FullTextIndex::list_from_json(members.array("fullTextIndexes")?)?,
        };
        // Before the validation: a policy without paths is valid because of them.
        policy.add_defaults();
        policy.validate()?;
        Ok(policy)
    }

    /// The wire form. Kinds of index that are not used are omitted.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert(
            "indexingMode",
            match self.mode {
                IndexingMode::Consistent => "consistent",
                IndexingMode::None => "none",
            },
        );
        object.insert("automatic", self.mode == IndexingMode::Consistent);
        object.insert("includedPaths", list(&self.included, included_to_json));
        object.insert("excludedPaths", list(&self.excluded, path_to_json));
        let optional = [
            ("compositeIndexes", list(&self.composite, CompositeIndex::to_json)),
            ("spatialIndexes", list(&self.spatial, SpatialIndex::to_json)),
            ("vectorIndexes", list(&self.vector, VectorIndex::to_json)),
            ("fullTextIndexes", list(&self.full_text, FullTextIndex::to_json)),
        ];
        for (name, elements) in optional {
            if !elements.is_empty() {
                object.insert(name, elements);
            }
        }
        Json::Object(object)
    }
}

fn parse_mode(text: Option<&str>) -> Result<IndexingMode> {
    match text {
        None => Ok(IndexingMode::default()),
        Some(text) if text.eq_ignore_ascii_case("consistent") => Ok(IndexingMode::Consistent),
        Some(text) if text.eq_ignore_ascii_case("none") => Ok(IndexingMode::None),
        // The service has given up this mode and turns it into the other one.
        Some(text) if text.eq_ignore_ascii_case("lazy") => Ok(IndexingMode::Consistent),
        Some(text) => Err(ValidationError::new(format!(
            "The indexing mode '{text}' is unknown; use consistent or none."
        ))),
    }
}

fn included_from_json(json: &Json) -> Result<IncludedPath> {
    // Old clients also send `indexes`, which has no effect and which the service does not return.
    Ok(IncludedPath { path: path_from_json(json)? })
}

fn included_to_json(included: &IncludedPath) -> Json {
    let mut object = Object::new();
    object.insert("path", included.path.to_string());
    Json::Object(object)
}

fn path_from_json(json: &Json) -> Result<IndexPath> {
    IndexPath::parse(Members::new("index path", json)?.required_text("path")?)
}

fn path_to_json(path: &IndexPath) -> Json {
    let mut object = Object::new();
    object.insert("path", path.to_string());
    Json::Object(object)
}

fn list<T>(elements: &[T], print: impl Fn(&T) -> Json) -> Vec<Json> {
    elements.iter().map(print).collect()
}
