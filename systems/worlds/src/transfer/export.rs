//! A world as files.

use service::charge::ChargedValue;

use super::archive::{ENTITIES, WORLD, WorldArchive};
use super::plan::EntityFile;
use crate::access::WorldAccess;
use crate::action::WorldDraft;
use crate::domain::WorldEntity;
use crate::error::{Error, ErrorKind, Result};
use crate::worlds::Worlds;

impl Worlds {
    /// All entities of a world that are not deleted, as files.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn export(&self, access: &WorldAccess) -> Result<ChargedValue<WorldArchive>> {
        let query = client::Query::text("SELECT * FROM c WHERE c.IsDeleted = false")
            .within_prefix(access.world().partition_key());
        let read = self.core.containers.entities.query::<WorldEntity>(&query).await?;
        let mut archive = WorldArchive::default();
        for entity in read.value {
            let (path, text) = if entity.is_world() {
                let WorldEntity { name, description, tags, .. } = entity;
                (WORLD.to_owned(), to_text(&WorldDraft { name, description, tags })?)
            } else {
                let path = format!("{ENTITIES}{}.json", entity.id);
                (path, to_text(&entity_file(access, entity))?)
            };
            archive.files.insert(path, text);
        }
        Ok(ChargedValue::new(archive, read.charge))
    }
}

fn entity_file(access: &WorldAccess, entity: WorldEntity) -> EntityFile {
    let root = access.world().root();
    EntityFile {
        local_id: entity.id.as_str().to_owned(),
        parent_local_id: entity
            .parent_id
            .filter(|parent| *parent != root)
            .map(|parent| parent.as_str().to_owned()),
        entity_type: entity.entity_type,
        name: entity.name,
        description: entity.description,
        tags: entity.tags,
        schema_id: entity.schema_id,
        schema_version: entity.schema_version,
        properties: entity.properties,
        system_properties: entity.system_properties,
    }
}

fn to_text(value: &impl serde::Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec_pretty(value)
        .map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))
}
