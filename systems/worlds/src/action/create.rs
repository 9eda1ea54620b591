//! Creates an entity.

use client::EntityTag;
use service::charge::{ChargeMeter, ChargedValue};

use crate::access::WorldAccess;
use crate::domain::{EntityDraft, EntityId, WorldEntity};
use crate::error::Result;
use crate::worlds::Worlds;

/// An entity after a write.
#[derive(Clone, Debug)]
pub struct WrittenEntity {
    /// As it is stored.
    pub entity: WorldEntity,
    /// Identifies this version.
    pub etag: Option<EntityTag>,
    /// What the caller should know although it was written.
    pub warnings: Vec<String>,
}

impl Worlds {
    /// Creates an entity.
    ///
    /// # Errors
    /// `Invalid` with every wrong field; `InvalidParent` for a parent that does not exist, is deleted or may not hold
    /// it; `EntityLimit` for a full world.
    pub async fn create_entity(
        &self,
        access: &WorldAccess,
        draft: EntityDraft,
    ) -> Result<ChargedValue<WrittenEntity>> {
        let id = EntityId::random(&self.core.environment);
        self.create_entity_as(access, id, draft).await
    }

    /// Creates an entity with a given id, for imports.
    ///
    /// # Errors
    /// Those of [`Worlds::create_entity`]; `Conflict` when the id is taken.
    pub async fn create_entity_as(
        &self,
        access: &WorldAccess,
        id: EntityId,
        draft: EntityDraft,
    ) -> Result<ChargedValue<WrittenEntity>> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        let parent_id = draft.parent_id.clone().unwrap_or_else(|| access.world().root());
        let parent = core.read_parent(access, &parent_id, &mut meter).await?;
        let mut entity = new_entity(access, id, draft, &parent, core.now());
        core.check_fields(&mut entity, Vec::new(), &mut meter).await?;
        let mut warnings = Vec::new();
        warnings.extend(core.check_parent(&entity.entity_type, &parent)?);
        warnings.extend(core.reserve(access.world(), 1, &mut meter).await?);
        match core.containers.entities.create(&entity.partition_key(), &entity).await {
            Ok(created) => {
                let etag = created.etag.clone();
                let entity = meter.record(created).into_value();
                Ok(meter.finish(WrittenEntity { entity, etag, warnings }))
            }
            Err(error) => {
                meter.record_error(&error);
                // The entity may exist although the response was lost; then its place stays taken.
                if !error.may_have_happened() {
                    core.release(access.world(), 1, &mut meter).await?;
                }
                Err(error.into())
            }
        }
    }
}

pub(crate) fn new_entity(
    access: &WorldAccess,
    id: EntityId,
    draft: EntityDraft,
    parent: &WorldEntity,
    now: crate::domain::UtcTimestamp,
) -> WorldEntity {
    let mut entity = WorldEntity {
        id,
        world_id: access.world().clone(),
        parent_id: Some(parent.id.clone()),
        entity_type: draft.entity_type,
        schema_id: draft.schema_id,
        path: Vec::new(),
        ancestor_ids: Vec::new(),
        depth: 0,
        name: draft.name.trim().to_owned(),
        description: draft.description.filter(|text| !text.is_empty()),
        tags: draft.tags,
        owner_id: parent.owner_id.clone(),
        created_by: Some(access.user().clone()),
        modified_by: Some(access.user().clone()),
        created_date: now,
        modified_date: now,
        is_deleted: false,
        deleted_date: None,
        deleted_by: None,
        deletion_reason: None,
        delete_operation_id: None,
        properties: draft.properties,
        system_properties: draft.system_properties,
        icon_asset_id: None,
        schema_version: draft.schema_version,
    };
    entity.attach_to(parent);
    entity
}
