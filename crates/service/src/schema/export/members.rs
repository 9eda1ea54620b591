//! The members of a container that an export writes.

use model::{Json, Object};

use crate::schema::declaration::{ContainerSchema, OptionalProperty};

/// The members of the wire format that a container declares, in their order on the wire.
pub(super) fn members(container: &ContainerSchema) -> Object {
    const OPTIONAL: &[(&str, OptionalProperty)] = &[
        ("conflictResolutionPolicy", OptionalProperty::ConflictResolution),
        ("geospatialConfig", OptionalProperty::Geospatial),
        ("computedProperties", OptionalProperty::ComputedProperties),
        ("changeFeedPolicy", OptionalProperty::ChangeFeed),
        ("vectorEmbeddingPolicy", OptionalProperty::VectorEmbeddings),
        ("fullTextPolicy", OptionalProperty::FullText),
    ];
    let mut members = Object::new();
    let Json::Object(all) = container.properties().to_json() else { return members };
    for (name, value) in all.iter() {
        let aspect = OPTIONAL.iter().find(|(known, _)| *known == name).map(|(_, aspect)| *aspect);
        if aspect.is_none_or(|aspect| container.declares(aspect)) {
            members.insert(name, value.clone());
        }
    }
    if let (Some(Json::Object(mut key)), false) = (
        members.get("partitionKey").cloned(),
        container.declares(OptionalProperty::PartitionKeyVersion),
    ) {
        key.remove("version");
        members.insert("partitionKey", Json::Object(key));
    }
    members
}
