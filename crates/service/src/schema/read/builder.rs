//! Builds a schema from what the readers of all formats collect.
//!
//! Owns the checks that all formats share: each member by itself, so that an error has the line of that member; names
//! declared twice; throughput given twice. Does not own any format.

use std::collections::BTreeMap;

use client::{DatabaseId, PartitionKeyDefinition, Throughput, TimeToLive};
use model::{
    ChangeFeedPolicy, ComputedProperty, ConflictResolutionPolicy, ContainerId, FullTextPolicy,
    GeospatialConfig, IndexingPolicy, Json, Object, UniqueKey, ValidationError,
    VectorEmbeddingPolicy,
};

use super::parsed::{ParsedSchema, SchemaNote, SchemaReadOptions};
use crate::schema::declaration::{ContainerSchema, DatabaseSchema, Schema, newest_version};
use crate::schema::location::{SchemaError, SchemaErrors, SourceLocation};
use crate::schema::script::{ScriptSchema, ScriptSchemaKind};

/// A value with its location.
#[derive(Clone, Debug)]
pub(super) struct Located<T> {
    pub(super) value: T,
    pub(super) location: SourceLocation,
}

/// A database as a file declares it.
#[derive(Clone, Debug)]
pub(super) struct DatabaseDraft {
    pub(super) id: Located<String>,
    pub(super) throughput: ThroughputDraft,
}

/// A container as a file declares it: the members of its wire format, each with its line.
#[derive(Clone, Debug)]
pub(super) struct ContainerDraft {
    pub(super) database: Located<String>,
    pub(super) id: Located<String>,
    pub(super) members: Vec<(&'static str, Located<Json>)>,
    pub(super) throughput: ThroughputDraft,
}

/// A script as a file declares it.
#[derive(Clone, Debug)]
pub(super) struct ScriptDraft {
    pub(super) database: Located<String>,
    pub(super) container: Located<String>,
    pub(super) id: Located<String>,
    pub(super) body: Located<String>,
    pub(super) kind: ScriptDraftKind,
}

/// What a script is, in the words of the file.
#[derive(Clone, Debug)]
pub(super) enum ScriptDraftKind {
    Procedure,
    Trigger { trigger_type: Located<String>, operation: Located<String> },
    Function,
}

/// Throughput as a file declares it.
#[derive(Clone, Debug, Default)]
pub(super) struct ThroughputDraft {
    pub(super) manual: Option<Located<i64>>,
    pub(super) autoscale_max: Option<Located<i64>>,
}

/// Collects declarations, notes and errors.
#[derive(Debug, Default)]
pub(super) struct SchemaBuilder {
    pub(super) databases: Vec<DatabaseDraft>,
    pub(super) containers: Vec<ContainerDraft>,
    pub(super) scripts: Vec<ScriptDraft>,
    pub(super) ignored: Vec<SchemaNote>,
    pub(super) notes: Vec<SchemaNote>,
    pub(super) errors: Vec<SchemaError>,
    allows_unread: bool,
}

impl<T> Located<T> {
    pub(super) fn new(value: T, location: SourceLocation) -> Self {
        Self { value, location }
    }

    fn error(&self, error: &ValidationError) -> SchemaError {
        SchemaError::at(&self.location, error.message())
    }
}

impl SchemaBuilder {
    pub(super) fn new(options: &SchemaReadOptions) -> Self {
        Self { allows_unread: options.allow_unread, ..Self::default() }
    }

    /// Records a part that cannot be read although it may declare containers: an error, unless the user allows it.
    pub(super) fn unread(&mut self, location: &SourceLocation, what: impl Into<String>) {
        let what = what.into();
        match self.allows_unread {
            true => self.note(Some(location), format!("{what} is not read, as allowed")),
            false => self.errors.push(SchemaError::at(
                location,
                format!("{what} cannot be read; --allow-unread goes on without it"),
            )),
        }
    }

    /// Returns a value, or records its error.
    pub(super) fn keep<T>(&mut self, result: Result<T, SchemaError>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }

    pub(super) fn note(&mut self, location: Option<&SourceLocation>, what: impl Into<String>) {
        self.notes.push(SchemaNote { location: location.cloned(), what: what.into() });
    }

    pub(super) fn ignore(&mut self, location: &SourceLocation, what: impl Into<String>) {
        self.ignored.push(SchemaNote { location: Some(location.clone()), what: what.into() });
    }

    /// Builds the schema, or returns all errors in the order of the files.
    pub(super) fn finish(mut self) -> Result<ParsedSchema, SchemaErrors> {
        let databases = std::mem::take(&mut self.databases);
        let containers = std::mem::take(&mut self.containers);
        // A list and not a map: databases keep the order of the file, so that a plan reads like its source.
        let mut order: Vec<DatabaseParts> = Vec::new();
        let mut locations: BTreeMap<String, SourceLocation> = BTreeMap::new();
        for draft in databases {
            let throughput = draft.throughput.finish();
            let throughput = self.keep(throughput).flatten();
            let Some(id) = self.named(&draft.id, |name| DatabaseId::new(name)) else { continue };
            if self.declare(&mut locations, format!("database '{id}'"), &draft.id.location) {
                order.push(DatabaseParts { id, throughput, containers: Vec::new() });
            }
        }
        for draft in containers {
            let Some(database) = self.named(&draft.database, |name| DatabaseId::new(name)) else {
                continue;
            };
            let name = format!("container '{database}/{}'", draft.id.value);
            // Before the container is checked: a second declaration with its own errors is reported as a second one,
            // too.
            let is_new = self.declare(&mut locations, name, &draft.id.location);
            let Some(container) = self.container(&draft).filter(|_| is_new) else { continue };
            match order.iter_mut().find(|parts| parts.id == database) {
                Some(parts) => parts.containers.push(container),
                None => {
                    // Its database may be declared elsewhere, for example in other Terraform files. The database has
                    // no throughput then.
                    let containers = vec![container];
                    order.push(DatabaseParts { id: database, throughput: None, containers });
                }
            }
        }
        for draft in std::mem::take(&mut self.scripts) {
            self.add_script(&draft, &mut order);
        }
        let schema = self.keep(build_schema(order));
        match schema {
            Some(schema) if self.errors.is_empty() => {
                Ok(ParsedSchema { schema, ignored: self.ignored, notes: self.notes })
            }
            _ => {
                // Errors come in the order of the checks; a person goes through the file from top to bottom.
                self.errors.sort();
                self.errors.dedup();
                Err(SchemaErrors(self.errors))
            }
        }
    }

    /// Adds a script to its container, which must be declared beside it.
    fn add_script(&mut self, draft: &ScriptDraft, order: &mut [DatabaseParts]) {
        let (database, name) = (draft.database.value.as_str(), draft.container.value.as_str());
        let mut parts = order.iter_mut().filter(|parts| parts.id.as_str() == database);
        let found = parts.find_map(|parts| {
            parts.containers.iter_mut().find(|container| container.id().as_str() == name)
        });
        let Some(container) = found else {
            let message = format!(
                "the container '{database}/{name}' of the script '{}' is not declared in these files",
                draft.id.value
            );
            self.errors.push(SchemaError::at(&draft.container.location, message));
            return;
        };
        let script = draft.kind.finish().and_then(|kind| {
            ScriptSchema::new(kind, &draft.id.value, &draft.body.value)
                .map_err(|error| draft.id.error(&error))
        });
        let Some(script) = self.keep(script) else { return };
        let with_script = container.clone().with_script(script);
        match with_script {
            Ok(with_script) => *container = with_script,
            Err(error) => self.errors.push(draft.id.error(&error)),
        }
    }

    fn named<T>(
        &mut self,
        name: &Located<String>,
        parse: impl FnOnce(&str) -> Result<T, ValidationError>,
    ) -> Option<T> {
        let parsed = parse(&name.value).map_err(|error| name.error(&error));
        self.keep(parsed)
    }

    /// Records the location of a name. Returns false, with an error, if the name was declared before.
    fn declare(
        &mut self,
        seen: &mut BTreeMap<String, SourceLocation>,
        name: String,
        location: &SourceLocation,
    ) -> bool {
        if let Some(first) = seen.get(&name) {
            let message = format!("the {name} is declared twice, first at {first}");
            self.errors.push(SchemaError::at(location, message));
            return false;
        }
        seen.insert(name, location.clone());
        true
    }

    fn container(&mut self, draft: &ContainerDraft) -> Option<ContainerSchema> {
        // Each member alone first, for an error with the member's own line. The whole is built only if all of them are
        // valid: its errors are those between members, and repeat none.
        let before = self.errors.len();
        let throughput = self.keep(draft.throughput.finish()).flatten();
        self.named(&draft.id, |name| ContainerId::new(name));
        let mut members = Object::new();
        members.insert("id", draft.id.value.as_str());
        for (name, value) in &draft.members {
            let checked = check(name, &value.value).map_err(|error| value.error(&error));
            self.keep(checked);
            members.insert(*name, value.value.clone());
        }
        if self.errors.len() > before {
            return None;
        }
        let whole = ContainerSchema::from_members(&Json::Object(members));
        let whole = self.keep(whole.map_err(|error| draft.id.error(&error)))?;
        Some(whole.with_own_throughput(throughput))
    }
}

/// A database while its containers are collected.
struct DatabaseParts {
    id: DatabaseId,
    throughput: Option<Throughput>,
    containers: Vec<ContainerSchema>,
}

fn build_schema(order: Vec<DatabaseParts>) -> Result<Schema, SchemaError> {
    let databases = order.into_iter().map(|parts| {
        let database = DatabaseSchema::new(parts.id.as_str(), parts.containers)?;
        Ok(match parts.throughput {
            Some(throughput) => database.with_throughput(throughput),
            None => database,
        })
    });
    let databases = databases.collect::<Result<Vec<_>, ValidationError>>();
    databases.and_then(Schema::new).map_err(|error| SchemaError::anywhere(error.message()))
}

impl ScriptDraftKind {
    fn finish(&self) -> Result<ScriptSchemaKind, SchemaError> {
        match self {
            Self::Procedure => Ok(ScriptSchemaKind::Procedure),
            Self::Function => Ok(ScriptSchemaKind::Function),
            Self::Trigger { trigger_type, operation } => {
                ScriptSchemaKind::trigger(&trigger_type.value, &operation.value)
                    .map_err(|error| operation.error(&error))
            }
        }
    }
}

impl ThroughputDraft {
    fn finish(&self) -> Result<Option<Throughput>, SchemaError> {
        match (&self.manual, &self.autoscale_max) {
            (None, None) => Ok(None),
            (Some(manual), None) => {
                Throughput::manual(manual.value).map(Some).map_err(|error| manual.error(&error))
            }
            (None, Some(autoscale)) => Throughput::autoscale(autoscale.value)
                .map(Some)
                .map_err(|error| autoscale.error(&error)),
            (Some(_), Some(autoscale)) => Err(SchemaError::at(
                &autoscale.location,
                "throughput is given twice, manual and autoscale; give one of them",
            )),
        }
    }
}

/// Validates one member of the wire format by itself.
fn check(name: &str, value: &Json) -> Result<(), ValidationError> {
    match (name, value) {
        // Without a version the wire format means the oldest one, whose limits differ; a file without a version means
        // the newest.
        ("partitionKey", Json::Object(key)) if key.get("version").is_none() => {
            PartitionKeyDefinition::from_json(&newest_version(key)).map(drop)
        }
        ("partitionKey", _) => PartitionKeyDefinition::from_json(value).map(drop),
        ("indexingPolicy", _) => IndexingPolicy::from_json(value).map(drop),
        ("uniqueKeyPolicy", _) => UniqueKey::list_from_json(value).map(drop),
        ("defaultTtl", _) => TimeToLive::from_json(Some(value)).map(drop),
        ("conflictResolutionPolicy", _) => ConflictResolutionPolicy::from_json(value).map(drop),
        ("geospatialConfig", _) => GeospatialConfig::from_json(value).map(drop),
        ("computedProperties", _) => {
            ComputedProperty::list_from_json(value.as_array().unwrap_or_default()).map(drop)
        }
        ("changeFeedPolicy", _) => ChangeFeedPolicy::from_json(value).map(drop),
        ("vectorEmbeddingPolicy", _) => VectorEmbeddingPolicy::from_json(value).map(drop),
        ("fullTextPolicy", _) => FullTextPolicy::from_json(value).map(drop),
        _ => Err(ValidationError::new(format!("The container member '{name}' is unknown."))),
    }
}
