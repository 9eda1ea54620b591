//! What callers say about an entity, and the rules of its fields.
//!
//! Owns lengths and numbers. Does not own parent rules, nor property schemas.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{EntityId, WorldEntity};
use crate::error::FieldMistake;

const NAME_CHARS_MAX: usize = 200;
const WORLD_NAME_CHARS_MAX: usize = 100;
const DESCRIPTION_CHARS_MAX: usize = 5_000;
const WORLD_DESCRIPTION_CHARS_MAX: usize = 2_000;
const TAGS_MAX: usize = 20;
const TAG_CHARS_MAX: usize = 50;
const BAG_BYTES_MAX: usize = 100 * 1024;

/// An entity to create.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EntityDraft {
    /// The entity to nest it in; the World if absent.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub parent_id: Option<EntityId>,
    /// The name of its type.
    pub entity_type: String,
    /// 1 to 200 characters.
    pub name: String,
    /// Markdown, at most 5,000 characters.
    #[serde(default)]
    pub description: Option<String>,
    /// At most 20, of 1 to 50 characters each.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The property schema that validates its properties.
    #[serde(default)]
    pub schema_id: Option<String>,
    /// Properties of any rules system, at most 100 KB.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub properties: Option<Map<String, Value>>,
    /// Properties of one rules system, at most 100 KB.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub system_properties: Option<Map<String, Value>>,
    /// The version of the property bags, at least 1.
    #[serde(default)]
    pub schema_version: Option<u32>,
}

/// A change of an entity: an absent field stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EntityChange {
    /// 1 to 200 characters.
    #[serde(default)]
    pub name: Option<String>,
    /// The name of its type.
    #[serde(default)]
    pub entity_type: Option<String>,
    /// Markdown, at most 5,000 characters; empty removes it.
    #[serde(default)]
    pub description: Option<String>,
    /// At most 20, of 1 to 50 characters each.
    #[serde(default)]
    pub tags: Option<Vec<String>>,
    /// The property schema; empty removes it.
    #[serde(default)]
    pub schema_id: Option<String>,
    /// Properties of any rules system, at most 100 KB. They replace all former ones.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub properties: Option<Map<String, Value>>,
    /// Properties of one rules system, at most 100 KB. They replace all former ones.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub system_properties: Option<Map<String, Value>>,
    /// The version of the property bags; not below the stored one.
    #[serde(default)]
    pub schema_version: Option<u32>,
}

impl EntityDraft {
    /// The change that gives an entity all values of this draft: absent ones are removed.
    #[must_use]
    pub fn into_replacement(self) -> EntityChange {
        EntityChange {
            name: Some(self.name),
            entity_type: Some(self.entity_type),
            description: Some(self.description.unwrap_or_default()),
            tags: Some(self.tags),
            schema_id: Some(self.schema_id.unwrap_or_default()),
            properties: Some(self.properties.unwrap_or_default()),
            system_properties: Some(self.system_properties.unwrap_or_default()),
            schema_version: self.schema_version,
        }
    }
}

impl EntityChange {
    /// Applies the change, except for a downgrade of the schema version, which is a mistake.
    pub(crate) fn apply(&self, entity: &mut WorldEntity) -> Vec<FieldMistake> {
        let change = self.clone();
        if let Some(name) = change.name {
            entity.rename(name.trim().to_owned());
        }
        if let Some(entity_type) = change.entity_type {
            entity.entity_type = entity_type;
        }
        if let Some(description) = change.description {
            entity.description = Some(description).filter(|text| !text.is_empty());
        }
        if let Some(tags) = change.tags {
            entity.tags = tags;
        }
        if let Some(schema_id) = change.schema_id {
            entity.schema_id = Some(schema_id).filter(|text| !text.is_empty());
        }
        if let Some(properties) = change.properties {
            entity.properties = Some(properties).filter(|bag| !bag.is_empty());
        }
        if let Some(properties) = change.system_properties {
            entity.system_properties = Some(properties).filter(|bag| !bag.is_empty());
        }
        let Some(version) = change.schema_version else { return Vec::new() };
        let stored = entity.schema_version.unwrap_or(1);
        if version < stored {
            let message = format!("{version} is below the stored version {stored}");
            return vec![FieldMistake::new("schemaVersion", message)];
        }
        entity.schema_version = Some(version);
        Vec::new()
    }
}

/// Everything that is wrong with the fields of an entity.
pub(crate) fn field_mistakes(entity: &WorldEntity) -> Vec<FieldMistake> {
    let (name_max, description_max) = if entity.is_world() {
        (WORLD_NAME_CHARS_MAX, WORLD_DESCRIPTION_CHARS_MAX)
    } else {
        (NAME_CHARS_MAX, DESCRIPTION_CHARS_MAX)
    };
    let mut mistakes = Vec::new();
    let mut wrong = |field: &str, message: String| {
        mistakes.push(FieldMistake::new(field, message));
    };
    if !(1..=name_max).contains(&entity.name.chars().count()) {
        wrong("name", format!("must have 1 to {name_max} characters"));
    }
    if entity.name.contains(char::is_control) {
        wrong("name", "has a control character".to_owned());
    }
    let description = entity.description.as_deref().unwrap_or_default();
    if description.chars().count() > description_max {
        wrong("description", format!("has more than {description_max} characters"));
    }
    if entity.tags.len() > TAGS_MAX {
        wrong("tags", format!("has {} tags; {TAGS_MAX} are allowed", entity.tags.len()));
    }
    if entity.tags.iter().any(|tag| !(1..=TAG_CHARS_MAX).contains(&tag.chars().count())) {
        wrong("tags", format!("has a tag without 1 to {TAG_CHARS_MAX} characters"));
    }
    for (field, bag) in
        [("properties", &entity.properties), ("systemProperties", &entity.system_properties)]
    {
        let bytes = bag.as_ref().map_or(0, |bag| serde_json::to_vec(bag).map_or(0, |b| b.len()));
        if bytes > BAG_BYTES_MAX {
            wrong(field, format!("has {bytes} bytes; {BAG_BYTES_MAX} are allowed"));
        }
    }
    if entity.schema_version == Some(0) {
        wrong("schemaVersion", "must be at least 1".to_owned());
    }
    mistakes
}
