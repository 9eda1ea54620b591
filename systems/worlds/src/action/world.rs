//! Creates and changes worlds.

use client::{EntityTag, ItemBatch};
use serde::{Deserialize, Serialize};
use service::charge::{ChargeMeter, ChargedValue};

use super::create::WrittenEntity;
use crate::access::WorldAccess;
use crate::domain::{
    EntityChange, EntityCounter, StoredTree, TreeEntity, UtcTimestamp, WorldEntity, WorldId,
    WorldTree, WorldUser,
};
use crate::domain::{WORLD_TYPE, field_mistakes};
use crate::error::{Error, ErrorKind, Result, require_no_mistakes};
use crate::worlds::Worlds;

/// A world to create.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorldDraft {
    /// 1 to 100 characters.
    pub name: String,
    /// Markdown, at most 2,000 characters.
    #[serde(default)]
    pub description: Option<String>,
    /// At most 20, of 1 to 50 characters each.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// A change of a world: an absent field stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorldChange {
    /// 1 to 100 characters.
    #[serde(default)]
    pub name: Option<String>,
    /// Markdown, at most 2,000 characters; empty removes it.
    #[serde(default)]
    pub description: Option<String>,
    /// At most 20, of 1 to 50 characters each.
    #[serde(default)]
    pub tags: Option<Vec<String>>,
}

impl Worlds {
    /// Creates a world of the user.
    ///
    /// # Errors
    /// `Invalid` with every wrong field.
    pub async fn create_world(
        &self,
        user: &WorldUser,
        draft: WorldDraft,
    ) -> Result<ChargedValue<WrittenEntity>> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        let id = WorldId::random(&core.environment);
        let mut entity = new_world(&id, user, &draft.name, core.now());
        entity.description = draft.description.filter(|text| !text.is_empty());
        entity.tags = draft.tags;
        require_no_mistakes("the world", field_mistakes(&entity))?;
        let world = entity.world_id.clone();
        let mut tree = WorldTree::new(&world);
        tree.insert(entity.id.clone(), TreeEntity::from(&entity));
        let stored = StoredTree::of(&tree, 1, core.now())
            .ok_or_else(|| Error::new(ErrorKind::Internal, "the tree has the World"))?;
        // The tree and the counter first: a world that exists always has both.
        let batch = ItemBatch::new().create(&stored.metadata)?.create(&EntityCounter::new(
            &world,
            0,
            core.now(),
        ))?;
        meter.record(core.containers.metadata.batch(&world.partition_key(), batch).await?);
        let created = core.containers.entities.create(&entity.partition_key(), &entity).await?;
        let etag = created.etag.clone();
        let entity = meter.record(created).into_value();
        Ok(meter.finish(WrittenEntity { entity, etag, warnings: Vec::new() }))
    }

    /// Changes a world.
    ///
    /// # Errors
    /// Those of [`Worlds::update_entity`].
    pub async fn update_world(
        &self,
        access: &WorldAccess,
        change: WorldChange,
        if_match: Option<&EntityTag>,
    ) -> Result<ChargedValue<WrittenEntity>> {
        let WorldChange { name, description, tags } = change;
        let change = EntityChange { name, description, tags, ..EntityChange::default() };
        self.update_entity(access, &access.world().root(), &change, if_match).await
    }
}

/// The root of a new world.
pub(crate) fn new_world(
    world: &WorldId,
    user: &WorldUser,
    name: &str,
    now: UtcTimestamp,
) -> WorldEntity {
    let name = name.trim().to_owned();
    WorldEntity {
        id: world.root(),
        world_id: world.clone(),
        parent_id: None,
        entity_type: WORLD_TYPE.to_owned(),
        schema_id: None,
        path: vec![name.clone()],
        ancestor_ids: Vec::new(),
        depth: 0,
        name,
        description: None,
        tags: Vec::new(),
        owner_id: user.clone(),
        created_by: Some(user.clone()),
        modified_by: Some(user.clone()),
        created_date: now,
        modified_date: now,
        is_deleted: false,
        deleted_date: None,
        deleted_by: None,
        deletion_reason: None,
        delete_operation_id: None,
        properties: None,
        system_properties: None,
        icon_asset_id: None,
        schema_version: None,
    }
}
