//! The forms a schema can be written in.

use model::{Json, Object};

use super::{arm, terraform, toml};
use crate::schema::declaration::{Aspect, ContainerSchema, Schema};

/// A form of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Our own.
    Toml,
    /// Terraform, provider `azurerm`.
    Terraform,
    /// A template of the resource manager.
    Arm,
}

/// A schema as a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The file.
    pub text: String,
    /// What the form has no words for.
    pub left_out: Vec<String>,
}

impl Schema {
    /// Writes it in a form.
    #[must_use]
    pub fn export(&self, form: Form) -> Exported {
        match form {
            Form::Toml => Exported { text: toml::write(self), left_out: Vec::new() },
            Form::Terraform => terraform::write(self),
            Form::Arm => Exported { text: arm::write(self), left_out: Vec::new() },
        }
    }
}

/// The members of the wire form that a declaration speaks of, in the order of the wire.
pub(super) fn members(container: &ContainerSchema) -> Object {
    const OPTIONAL: &[(&str, Aspect)] = &[
        ("conflictResolutionPolicy", Aspect::ConflictResolution),
        ("geospatialConfig", Aspect::Geospatial),
        ("computedProperties", Aspect::ComputedProperties),
        ("changeFeedPolicy", Aspect::ChangeFeed),
        ("vectorEmbeddingPolicy", Aspect::VectorEmbeddings),
        ("fullTextPolicy", Aspect::FullText),
    ];
    let mut members = Object::new();
    let Json::Object(all) = container.properties().to_json() else { return members };
    for (name, value) in all.iter() {
        let aspect = OPTIONAL.iter().find(|(known, _)| *known == name).map(|(_, aspect)| *aspect);
        if aspect.is_none_or(|aspect| container.declares(aspect)) {
            members.insert(name, value.clone());
        }
    }
    if let (Some(Json::Object(mut key)), false) =
        (members.get("partitionKey").cloned(), container.declares(Aspect::PartitionKeyVersion))
    {
        key.remove("version");
        members.insert("partitionKey", Json::Object(key));
    }
    members
}
