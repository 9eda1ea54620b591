//! What the readers of all forms gather, and how it becomes a schema.
//!
//! Owns the checks every form shares: each member by itself, so that its own line is blamed; names declared twice;
//! throughput given twice. Does not own any form.

use std::collections::BTreeMap;

use client::{DatabaseId, PartitionKeyDefinition, Throughput, TimeToLive};
use model::{
    ChangeFeedPolicy, ComputedProperty, ConflictResolutionPolicy, ContainerId, FullTextPolicy,
    GeospatialConfig, IndexingPolicy, Json, Object, UniqueKey, ValidationError,
    VectorEmbeddingPolicy,
};

use super::Reading;
use super::found::Found;
use crate::schema::declaration::{ContainerSchema, DatabaseSchema, Schema, newest_version};
use crate::schema::origin::{Mistake, Mistakes, Origin};

/// A value with where it stands.
#[derive(Clone, Debug)]
pub(super) struct Stated<T> {
    pub(super) value: T,
    pub(super) origin: Origin,
}

/// A database as a file declares it.
#[derive(Clone, Debug)]
pub(super) struct DatabaseDraft {
    pub(super) id: Stated<String>,
    pub(super) throughput: ThroughputDraft,
}

/// A container as a file declares it: the members of its wire form, each with its line.
#[derive(Clone, Debug)]
pub(super) struct ContainerDraft {
    pub(super) database: Stated<String>,
    pub(super) id: Stated<String>,
    pub(super) members: Vec<(&'static str, Stated<Json>)>,
    pub(super) throughput: ThroughputDraft,
}

/// Throughput as a file declares it.
#[derive(Clone, Debug, Default)]
pub(super) struct ThroughputDraft {
    pub(super) manual: Option<Stated<i64>>,
    pub(super) autoscale_max: Option<Stated<i64>>,
}

/// Everything that was found in the files.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    pub(super) databases: Vec<DatabaseDraft>,
    pub(super) containers: Vec<ContainerDraft>,
    pub(super) ignored: Vec<Found>,
    pub(super) notes: Vec<Found>,
    pub(super) mistakes: Vec<Mistake>,
}

impl<T> Stated<T> {
    pub(super) fn new(value: T, origin: Origin) -> Self {
        Self { value, origin }
    }

    fn mistake(&self, error: &ValidationError) -> Mistake {
        Mistake::at(&self.origin, error.message())
    }
}

impl Gathering {
    /// Keeps a result, or its mistake.
    pub(super) fn keep<T>(&mut self, result: Result<T, Mistake>) -> Option<T> {
        result.map_err(|mistake| self.mistakes.push(mistake)).ok()
    }

    pub(super) fn note(&mut self, origin: Option<&Origin>, what: impl Into<String>) {
        self.notes.push(Found { origin: origin.cloned(), what: what.into() });
    }

    pub(super) fn ignore(&mut self, origin: &Origin, what: impl Into<String>) {
        self.ignored.push(Found { origin: Some(origin.clone()), what: what.into() });
    }

    /// The schema, or all mistakes in the order of the files.
    pub(super) fn finish(mut self) -> Result<Reading, Mistakes> {
        let databases = std::mem::take(&mut self.databases);
        let containers = std::mem::take(&mut self.containers);
        let mut order: Vec<Half> = Vec::new();
        let mut origins: BTreeMap<String, Origin> = BTreeMap::new();
        for draft in databases {
            let throughput = draft.throughput.finish();
            let throughput = self.keep(throughput).flatten();
            let Some(id) = self.named(&draft.id, |name| DatabaseId::new(name)) else { continue };
            if self.is_new(&mut origins, format!("database '{id}'"), &draft.id.origin) {
                order.push(Half { id, throughput, containers: Vec::new() });
            }
        }
        for draft in containers {
            let Some(database) = self.named(&draft.database, |name| DatabaseId::new(name)) else {
                continue;
            };
            let name = format!("container '{database}/{}'", draft.id.value);
            let is_new = self.is_new(&mut origins, name, &draft.id.origin);
            let Some(container) = self.container(&draft).filter(|_| is_new) else { continue };
            match order.iter_mut().find(|half| half.id == database) {
                Some(half) => half.containers.push(container),
                None => {
                    let containers = vec![container];
                    order.push(Half { id: database, throughput: None, containers });
                }
            }
        }
        let schema = self.keep(whole(order));
        match schema {
            Some(schema) if self.mistakes.is_empty() => {
                Ok(Reading { schema, ignored: self.ignored, notes: self.notes })
            }
            _ => {
                self.mistakes.sort();
                self.mistakes.dedup();
                Err(Mistakes(self.mistakes))
            }
        }
    }

    fn named<T>(
        &mut self,
        name: &Stated<String>,
        parse: impl FnOnce(&str) -> Result<T, ValidationError>,
    ) -> Option<T> {
        let parsed = parse(&name.value).map_err(|error| name.mistake(&error));
        self.keep(parsed)
    }

    fn is_new(
        &mut self,
        seen: &mut BTreeMap<String, Origin>,
        name: String,
        origin: &Origin,
    ) -> bool {
        if let Some(first) = seen.get(&name) {
            let message = format!("the {name} is declared twice, first at {first}");
            self.mistakes.push(Mistake::at(origin, message));
            return false;
        }
        seen.insert(name, origin.clone());
        true
    }

    fn container(&mut self, draft: &ContainerDraft) -> Option<ContainerSchema> {
        let before = self.mistakes.len();
        let throughput = self.keep(draft.throughput.finish()).flatten();
        self.named(&draft.id, |name| ContainerId::new(name));
        let mut members = Object::new();
        members.insert("id", draft.id.value.as_str());
        for (name, value) in &draft.members {
            let checked = check(name, &value.value).map_err(|error| value.mistake(&error));
            self.keep(checked);
            members.insert(*name, value.value.clone());
        }
        if self.mistakes.len() > before {
            return None;
        }
        let whole = ContainerSchema::from_members(&Json::Object(members));
        let whole = self.keep(whole.map_err(|error| draft.id.mistake(&error)))?;
        Some(whole.with_own_throughput(throughput))
    }
}

struct Half {
    id: DatabaseId,
    throughput: Option<Throughput>,
    containers: Vec<ContainerSchema>,
}

fn whole(order: Vec<Half>) -> Result<Schema, Mistake> {
    let databases = order.into_iter().map(|half| {
        let database = DatabaseSchema::new(half.id.as_str(), half.containers)?;
        Ok(match half.throughput {
            Some(throughput) => database.with_throughput(throughput),
            None => database,
        })
    });
    let databases = databases.collect::<Result<Vec<_>, ValidationError>>();
    databases.and_then(Schema::new).map_err(|error| Mistake::anywhere(error.message()))
}

impl ThroughputDraft {
    fn finish(&self) -> Result<Option<Throughput>, Mistake> {
        match (&self.manual, &self.autoscale_max) {
            (None, None) => Ok(None),
            (Some(manual), None) => {
                Throughput::manual(manual.value).map(Some).map_err(|error| manual.mistake(&error))
            }
            (None, Some(autoscale)) => Throughput::autoscale(autoscale.value)
                .map(Some)
                .map_err(|error| autoscale.mistake(&error)),
            (Some(_), Some(autoscale)) => Err(Mistake::at(
                &autoscale.origin,
                "throughput is given twice, manual and autoscale; give one of them",
            )),
        }
    }
}

/// Checks one member of the wire form by itself.
fn check(name: &str, value: &Json) -> Result<(), ValidationError> {
    match (name, value) {
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
