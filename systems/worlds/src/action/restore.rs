//! Takes entities out of the trash.
//!
//! Owns where an entity goes whose parent is gone (WB-094). An entity is in one of two containers: in place until the
//! grace period is over, then in that of deleted entities. If a move between them was interrupted it is in both; the
//! deleted copy counts.

use client::ErrorKind as DataError;
use serde::{Deserialize, Serialize};
use service::charge::{ChargeMeter, ChargedValue};

use super::create::WrittenEntity;
use crate::access::WorldAccess;
use crate::domain::DEPTH_MAX;
use crate::domain::{
    DeletedWorldEntity, EntityId, WorldEntity, WorldOperation, WorldOperationKind,
};
use crate::error::{Error, ErrorKind, Result};
use crate::worlds::{Worlds, WorldsCore};

/// How to restore an entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RestoreOptions {
    /// What happens if the parent is gone or deleted.
    pub parents: RestoredParent,
    /// Whether everything that was deleted by the same cascade is restored too.
    pub with_descendants: bool,
}

/// What happens to an entity whose parent is gone or deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RestoredParent {
    /// It is not restored.
    #[default]
    Refuse,
    /// Its parents are restored too.
    Restore,
    /// It is nested in the World.
    World,
}

/// An entity in the trash, and where it is.
#[derive(Clone, Debug)]
pub(crate) struct FoundInTrash {
    pub(crate) entity: WorldEntity,
    pub(crate) is_moved: bool,
}

impl Worlds {
    /// Restores one entity.
    ///
    /// # Errors
    /// `ParentDeleted` if its parent is gone or deleted and the options do not say what to do; `EntityLimit`;
    /// `Conflict` if it is not deleted; `NotFound`.
    pub async fn restore_entity(
        &self,
        access: &WorldAccess,
        id: &EntityId,
        parents: RestoredParent,
    ) -> Result<ChargedValue<WrittenEntity>> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        let written = core.restore_one(access, id, parents, &mut meter).await?;
        Ok(meter.finish(written))
    }

    /// Restores an entity at once, and everything that was deleted by the same cascade in the background.
    ///
    /// # Errors
    /// Those of [`Worlds::restore_entity`]; `Busy`.
    pub async fn restore_cascade(
        &self,
        access: &WorldAccess,
        id: &EntityId,
        parents: RestoredParent,
    ) -> Result<ChargedValue<WorldOperation>> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        let found = core.require_trashed(access, id, &mut meter).await?.entity;
        let source = found.delete_operation_id.clone();
        // The parent first: an operation must not begin for an entity that stays deleted.
        core.restore_one(access, id, parents, &mut meter).await?;
        let kind = WorldOperationKind::Restore;
        let operation = core.begin_operation(access, kind, &found, source, &mut meter).await?;
        Ok(meter.finish(operation))
    }

    /// Restores a world and everything that was deleted with it.
    ///
    /// # Errors
    /// Those of [`Worlds::restore_cascade`].
    pub async fn restore_world(
        &self,
        access: &WorldAccess,
    ) -> Result<ChargedValue<WorldOperation>> {
        self.restore_cascade(access, &access.world().root(), RestoredParent::Refuse).await
    }
}

impl WorldsCore {
    /// Finds an entity in the trash; none if it does not exist or is not deleted.
    pub(crate) async fn find_trashed(
        &self,
        access: &WorldAccess,
        id: &EntityId,
        meter: &mut ChargeMeter,
    ) -> Result<Option<FoundInTrash>> {
        let active = self.find(access.world(), id, meter).await?.map(client::Item::into_value);
        if active.as_ref().is_some_and(|entity| !entity.is_deleted) {
            return Ok(None);
        }
        let key = access.world().entity_key(id);
        match self.containers.deleted.read::<DeletedWorldEntity>(&key, id.as_str()).await {
            Ok(read) => {
                let entity = meter.record(read).into_value().entity;
                Ok(Some(FoundInTrash { entity, is_moved: true }))
            }
            Err(error) if error.kind() == DataError::NotFound => {
                meter.record_error(&error);
                Ok(active.map(|entity| FoundInTrash { entity, is_moved: false }))
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) async fn require_trashed(
        &self,
        access: &WorldAccess,
        id: &EntityId,
        meter: &mut ChargeMeter,
    ) -> Result<FoundInTrash> {
        let found = self.find_trashed(access, id, meter).await?;
        found.ok_or_else(|| Error::not_found("deleted entity"))
    }

    /// Restores one entity, and its parents if the caller wants that.
    pub(crate) async fn restore_one(
        &self,
        access: &WorldAccess,
        id: &EntityId,
        parents: RestoredParent,
        meter: &mut ChargeMeter,
    ) -> Result<WrittenEntity> {
        let mut chain = vec![self.require_trashed(access, id, meter).await?];
        // The first parent that is not deleted; none for the World itself.
        let parent = loop {
            let above = chain.last().and_then(|one| one.entity.parent_id.clone());
            let Some(above) = above else { break None };
            let found = self.find(access.world(), &above, meter).await?;
            if let Some(found) = found.filter(|item| !item.value.is_deleted) {
                break Some(found.into_value());
            }
            match parents {
                RestoredParent::Refuse => return Err(parent_deleted(&above)),
                RestoredParent::World => {
                    let root = access.world().root();
                    break Some(self.read_parent(access, &root, meter).await?);
                }
                RestoredParent::Restore if chain.len() > DEPTH_MAX as usize => {
                    return Err(parent_deleted(&above));
                }
                RestoredParent::Restore => {
                    let found = self.find_trashed(access, &above, meter).await?;
                    chain.push(found.ok_or_else(|| parent_deleted(&above))?);
                }
            }
        };
        let mut above = parent;
        let mut written = None;
        for found in chain.into_iter().rev() {
            let one = self.write_restored(access, found, above.as_ref(), meter).await?;
            above = Some(one.entity.clone());
            written = Some(one);
        }
        written.ok_or_else(|| Error::new(ErrorKind::Internal, "a restore has one entity at least"))
    }

    async fn write_restored(
        &self,
        access: &WorldAccess,
        found: FoundInTrash,
        parent: Option<&WorldEntity>,
        meter: &mut ChargeMeter,
    ) -> Result<WrittenEntity> {
        let FoundInTrash { mut entity, is_moved } = found;
        let mut warnings = Vec::new();
        entity.mark_restored(access.user(), self.now());
        match parent {
            Some(parent) => {
                warnings.extend(self.check_parent(&entity.entity_type, parent)?);
                entity.attach_to(parent);
                warnings.extend(self.reserve(access.world(), 1, meter).await?);
            }
            None => {
                self.access.forget(access.world());
                // The sweep may have removed it with the tree, which the worker makes again.
                self.create_missing_counter(access.world(), meter).await?;
            }
        }
        let (key, id) = (entity.partition_key(), entity.id.clone());
        let written = self.containers.entities.upsert(&key, &entity, None).await?;
        let etag = written.etag.clone();
        let entity = meter.record(written).into_value();
        if is_moved {
            match self.containers.deleted.delete(&key, id.as_str(), None).await {
                Ok(deleted) => meter.record(deleted),
                // It expired, or another call restored it too.
                Err(error) if error.kind() == DataError::NotFound => meter.record_error(&error),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(WrittenEntity { entity, etag, warnings })
    }
}

fn parent_deleted(parent: &EntityId) -> Error {
    Error::new(
        ErrorKind::ParentDeleted,
        format!(
            "The parent '{parent}' is gone or deleted. Restore the parents too (parents=restore), \
             or nest it in the World (parents=world)."
        ),
    )
}
