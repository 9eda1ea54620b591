//! Files of a world as a plan: everything is checked before anything is created.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::archive::{ENTITIES, WORLD, WorldArchive};
use super::mistake::{ImportMistake, ImportMistakeKind as Kind};
use crate::action::WorldDraft;
use crate::domain::{DEPTH_MAX, EntityDraft, EntityId};

/// A world to create.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportPlan {
    /// The world.
    pub world: WorldDraft,
    /// Its entities, parents first.
    pub(super) entities: Vec<PlannedEntity>,
}

/// An entity to create.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlannedEntity {
    pub(super) local_id: String,
    pub(super) parent_local_id: Option<String>,
    pub(super) draft: EntityDraft,
}

/// The file of an entity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct EntityFile {
    pub(super) local_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) parent_local_id: Option<String>,
    pub(super) entity_type: String,
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) schema_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) schema_version: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) properties: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) system_properties: Option<Map<String, Value>>,
}

impl ImportPlan {
    /// The plan of an archive.
    ///
    /// # Errors
    /// Every mistake in the files and in how the entities are nested. Fields, types and schemas are checked by
    /// [`crate::Worlds::check_import`].
    pub fn of(archive: &WorldArchive) -> Result<Self, Vec<ImportMistake>> {
        match parse(archive) {
            (Some(plan), mistakes) if mistakes.is_empty() => Ok(plan),
            (_, mistakes) => Err(mistakes),
        }
    }

    /// How many entities it has, without the World.
    #[must_use]
    pub fn entity_count(&self) -> usize {
        self.entities.len()
    }
}

/// The plan, as far as the files can be read, and every mistake.
pub(super) fn parse(archive: &WorldArchive) -> (Option<ImportPlan>, Vec<ImportMistake>) {
    let mut mistakes = Vec::new();
    let world = archive.files.get(WORLD).map(|bytes| serde_json::from_slice::<WorldDraft>(bytes));
    let world = match world {
        Some(Ok(world)) => Some(world),
        Some(Err(error)) => {
            let message = error.to_string();
            mistakes.push(ImportMistake::new(Kind::WorldFileInvalid, WORLD, message));
            None
        }
        None => {
            let message = "an archive needs this file";
            mistakes.push(ImportMistake::new(Kind::WorldFileMissing, WORLD, message));
            None
        }
    };
    let entities = parse_entities(archive, &mut mistakes);
    let sorted = sort(&entities, &mut mistakes);
    let plan = world.map(|world| ImportPlan { world, entities: sorted });
    (plan, mistakes)
}

/// The entities by their local ids, with their files.
fn parse_entities(
    archive: &WorldArchive,
    mistakes: &mut Vec<ImportMistake>,
) -> BTreeMap<String, (String, EntityFile)> {
    let mut entities: BTreeMap<String, (String, EntityFile)> = BTreeMap::new();
    for (path, bytes) in archive.files.iter().filter(|(path, _)| *path != WORLD) {
        let mut wrong = |kind, message: String| {
            mistakes.push(ImportMistake::new(kind, path.as_str(), message));
        };
        let name = path.strip_prefix(ENTITIES).filter(|name| !name.contains('/'));
        if !name.is_some_and(|name| name.ends_with(".json")) {
            wrong(Kind::UnknownFile, "only world.json and entities/*.json are known".to_owned());
            continue;
        }
        let entity = match serde_json::from_slice::<EntityFile>(bytes) {
            Ok(entity) => entity,
            Err(error) => {
                wrong(Kind::EntityFileInvalid, error.to_string());
                continue;
            }
        };
        if let Err(why) = EntityId::parse(entity.local_id.as_str()) {
            wrong(Kind::LocalIdInvalid, format!("'{}' {why}", entity.local_id));
            continue;
        }
        let id = entity.local_id.clone();
        if let Some((other, _)) = entities.get(&id) {
            let message = format!("{other} has the local id '{id}' too");
            wrong(Kind::DuplicateLocalId, message);
            continue;
        }
        entities.insert(id, (path.clone(), entity));
    }
    entities
}

/// The entities, parents first.
fn sort(
    entities: &BTreeMap<String, (String, EntityFile)>,
    mistakes: &mut Vec<ImportMistake>,
) -> Vec<PlannedEntity> {
    let mut sorted = Vec::new();
    for (id, (path, entity)) in entities {
        let mut wrong = |kind, message: String| {
            mistakes.push(ImportMistake::new(kind, path.as_str(), message));
        };
        let mut seen = BTreeSet::from([id]);
        let (mut depth, mut at) = (1_u32, entity);
        // Follows the parents up to the World; a mistake of a parent is that of the parent's file.
        while let Some(parent) = &at.parent_local_id {
            let Some((_, above)) = entities.get(parent) else {
                if depth == 1 {
                    let message = format!("there is no entity with the local id '{parent}'");
                    wrong(Kind::DanglingParent, message);
                }
                break;
            };
            if !seen.insert(parent) {
                if parent == id {
                    wrong(Kind::ParentCycle, format!("'{id}' is nested in itself"));
                }
                break;
            }
            (depth, at) = (depth + 1, above);
        }
        if depth > DEPTH_MAX {
            wrong(Kind::TooDeep, format!("it is nested {depth} levels deep, not {DEPTH_MAX}"));
        }
        sorted.push((depth, planned(id, entity.clone())));
    }
    sorted.sort_by(|one, other| (one.0, &one.1.local_id).cmp(&(other.0, &other.1.local_id)));
    sorted.into_iter().map(|(_, entity)| entity).collect()
}

fn planned(id: &str, file: EntityFile) -> PlannedEntity {
    PlannedEntity {
        local_id: id.to_owned(),
        parent_local_id: file.parent_local_id,
        draft: EntityDraft {
            parent_id: None,
            entity_type: file.entity_type,
            name: file.name,
            description: file.description,
            tags: file.tags,
            schema_id: file.schema_id,
            properties: file.properties,
            system_properties: file.system_properties,
            schema_version: file.schema_version,
        },
    }
}
