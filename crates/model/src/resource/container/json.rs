//! The wire form of container properties.
//!
//! Owns member names, their defaults and the order in which they are printed. Does not own system members: those a
//! client sends back are dropped.

use super::ContainerProperties;
use crate::resource::change_feed_policy::ChangeFeedPolicy;
use crate::resource::computed_property::ComputedProperty;
use crate::resource::conflict_resolution::ConflictResolutionPolicy;
use crate::resource::full_text::FullTextPolicy;
use crate::resource::geospatial::GeospatialConfig;
use crate::resource::indexing_policy::IndexingPolicy;
use crate::resource::members::Members;
use crate::resource::time_to_live::TimeToLive;
use crate::resource::unique_key::UniqueKey;
use crate::resource::vector_embedding::VectorEmbeddingPolicy;
use crate::{ContainerId, Json, Object, PartitionKeyDefinition, Result, ValidationError};

/// Members that this crate parses.
const KNOWN: [&str; 11] = [
    "id",
    "indexingPolicy",
    "partitionKey",
    "uniqueKeyPolicy",
    "defaultTtl",
    "conflictResolutionPolicy",
    "geospatialConfig",
    "computedProperties",
    "changeFeedPolicy",
    "vectorEmbeddingPolicy",
    "fullTextPolicy",
];
/// Members the service adds to every container it returns.
const SYSTEM: [&str; 9] =
    ["_rid", "_ts", "_self", "_etag", "_docs", "_sprocs", "_triggers", "_udfs", "_conflicts"];

impl ContainerProperties {
    /// Parses the wire form and checks it.
    ///
    /// # Errors
    /// When a member is malformed or two policies disagree.
    pub fn from_json(json: &Json) -> Result<Self> {
        let members = Members::new("container", json)?;
        let id = ContainerId::new(members.required_id()?)?;
        let partition_key = members.get("partitionKey").ok_or_else(|| {
            ValidationError::new(format!(
                "The container '{id}' has no 'partitionKey'; give one like \
                 {{\"paths\":[\"/pk\"],\"kind\":\"Hash\",\"version\":2}}."
            ))
        })?;
        let mut properties = Self::new(id, PartitionKeyDefinition::from_json(partition_key)?);
        if let Some(policy) = members.get("indexingPolicy") {
            properties.indexing_policy = IndexingPolicy::from_json(policy)?;
        }
        if let Some(policy) = members.get("uniqueKeyPolicy") {
            properties.unique_keys = UniqueKey::list_from_json(policy)?;
        }
        if let Some(policy) = members.get("conflictResolutionPolicy") {
            properties.conflict_resolution = ConflictResolutionPolicy::from_json(policy)?;
        }
        if let Some(choice) = members.get("geospatialConfig") {
            properties.geospatial_config = GeospatialConfig::from_json(choice)?;
        }
        properties.default_time_to_live = TimeToLive::from_json(members.get("defaultTtl"))?;
        properties.computed_properties =
            ComputedProperty::list_from_json(members.array("computedProperties")?)?;
        properties.change_feed_policy =
            members.get("changeFeedPolicy").map(ChangeFeedPolicy::from_json).transpose()?;
        properties.vector_embedding_policy = members
            .get("vectorEmbeddingPolicy")
            .map(VectorEmbeddingPolicy::from_json)
            .transpose()?;
        properties.full_text_policy =
            members.get("fullTextPolicy").map(FullTextPolicy::from_json).transpose()?;
        // Kept and returned: a client that reads, changes and replaces a container must not lose members that are
        // newer than this server.
        properties.unknown = unknown_members(json);
        // Last: the checks compare policies with each other.
        properties.validate()?;
        Ok(properties)
    }

    /// The wire form, without system members.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("id", self.id.as_str());
        object.insert("indexingPolicy", self.indexing_policy.to_json());
        object.insert("partitionKey", self.partition_key.to_json());
        if let Some(seconds) = self.default_time_to_live.to_json() {
            object.insert("defaultTtl", seconds);
        }
        if !self.unique_keys.is_empty() {
            object.insert("uniqueKeyPolicy", UniqueKey::list_to_json(&self.unique_keys));
        }
        object.insert("conflictResolutionPolicy", self.conflict_resolution.to_json());
        object.insert("geospatialConfig", self.geospatial_config.to_json());
        if !self.computed_properties.is_empty() {
            let list = self.computed_properties.iter().map(ComputedProperty::to_json);
            object.insert("computedProperties", list.collect::<Vec<_>>());
        }
        let optional = [
            ("changeFeedPolicy", self.change_feed_policy.map(ChangeFeedPolicy::to_json)),
            (
                "vectorEmbeddingPolicy",
                self.vector_embedding_policy.as_ref().map(VectorEmbeddingPolicy::to_json),
            ),
            ("fullTextPolicy", self.full_text_policy.as_ref().map(FullTextPolicy::to_json)),
        ];
        for (name, policy) in optional {
            if let Some(policy) = policy {
                object.insert(name, policy);
            }
        }
        for (name, value) in self.unknown.iter() {
            object.insert(name, value.clone());
        }
        Json::Object(object)
    }
}

fn unknown_members(json: &Json) -> Object {
    let mut unknown = Object::new();
    for (name, value) in json.as_object().into_iter().flat_map(Object::iter) {
        if !KNOWN.contains(&name) && !SYSTEM.contains(&name) {
            unknown.insert(name, value.clone());
        }
    }
    unknown
}
