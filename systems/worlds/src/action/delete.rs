//! Puts entities into the trash: one, or one with everything nested in it.
//!
//! Owns the flag and the start of a cascade. Does not own the cascade itself (`reaction/operations`).

use client::{EntityTag, Query};
use service::charge::{ChargeMeter, ChargedValue};

use super::create::WrittenEntity;
use super::update::{can_repeat, require_etag};
use crate::access::WorldAccess;
use crate::domain::{
    DeletionReason, EntityId, WorldEntity, WorldOperation, WorldOperationKind, random_text,
};
use crate::error::{Error, ErrorKind, Result};
use crate::worlds::{Worlds, WorldsCore};

impl Worlds {
    /// Deletes an entity in which nothing is nested. It can be restored.
    ///
    /// # Errors
    /// `HasChildren` if something is nested in it, `Changed` for another etag, `NotFound`, `Conflict` for the World.
    pub async fn delete_entity(
        &self,
        access: &WorldAccess,
        id: &EntityId,
        if_match: Option<&EntityTag>,
    ) -> Result<ChargedValue<WrittenEntity>> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        if *id == access.world().root() {
            return Err(Error::new(ErrorKind::Conflict, "Delete the world instead of its root."));
        }
        for round in 1.. {
            let mut item = core.read_active(access, id, &mut meter).await?;
            require_etag(&item, if_match)?;
            if core.find_active_child(access, id, &mut meter).await?.is_some() {
                let message =
                    "Entities are nested in it. Delete them first, or with it by a cascade.";
                return Err(Error::new(ErrorKind::HasChildren, message));
            }
            let entity = &mut item.value;
            let (user, now) = (access.user(), core.now());
            entity.mark_deleted(user, now, DeletionReason::UserDeleted, None);
            match core.containers.entities.save(&entity.partition_key(), &item).await {
                Ok(saved) => {
                    core.release(access.world(), 1, &mut meter).await?;
                    return Ok(core.finish_write(saved, Vec::new(), meter));
                }
                Err(error) if can_repeat(&error, if_match, round) => meter.record_error(&error),
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(ErrorKind::Internal, "the rounds of a delete are bounded"))
    }

    /// Deletes an entity and everything nested in it, in the background. The entity itself is deleted at once.
    ///
    /// # Errors
    /// `Busy` if the user has as many operations at work as allowed, `Changed` for another etag, `NotFound`.
    pub async fn delete_cascade(
        &self,
        access: &WorldAccess,
        id: &EntityId,
        if_match: Option<&EntityTag>,
    ) -> Result<ChargedValue<WorldOperation>> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        let item = core.read_active(access, id, &mut meter).await?;
        require_etag(&item, if_match)?;
        let operation =
            core.begin_operation(access, WorldOperationKind::Delete, &item.value, None, &mut meter);
        let operation = operation.await?;
        let world = access.world();
        let reason = DeletionReason::UserDeleted;
        let by = (access.user(), core.now());
        let is_flagged =
            core.flag_deleted(world, id, by, (reason, operation.id.as_str()), &mut meter).await?;
        if is_flagged && *id != world.root() {
            core.release(world, 1, &mut meter).await?;
        }
        core.access.forget(world);
        Ok(meter.finish(operation))
    }

    /// Deletes a world and everything in it, in the background. It can be restored.
    ///
    /// # Errors
    /// Those of [`Worlds::delete_cascade`].
    pub async fn delete_world(
        &self,
        access: &WorldAccess,
        if_match: Option<&EntityTag>,
    ) -> Result<ChargedValue<WorldOperation>> {
        self.delete_cascade(access, &access.world().root(), if_match).await
    }

    /// Gives an operation that failed all its attempts again.
    ///
    /// # Errors
    /// `NotFound`, `Conflict` for one that has not failed.
    pub async fn retry_operation(
        &self,
        access: &WorldAccess,
        id: &str,
    ) -> Result<ChargedValue<WorldOperation>> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        let (key, now) = (access.world().partition_key(), core.now());
        let retried = core.containers.operations.modify(&key, id, |one: &mut WorldOperation| {
            if !one.status.has_failed() {
                return Err(Error::new(ErrorKind::Conflict, "The operation has not failed."));
            }
            one.reopen(now);
            Ok(())
        });
        let operation = meter.record(retried.await?).into_value();
        Ok(meter.finish(operation))
    }
}

impl WorldsCore {
    /// One of the entities nested directly in another that are not deleted.
    async fn find_active_child(
        &self,
        access: &WorldAccess,
        id: &EntityId,
        meter: &mut ChargeMeter,
    ) -> Result<Option<String>> {
        let query = Query::text(
            "SELECT TOP 1 VALUE c.id FROM c WHERE c.ParentId = @parent AND c.IsDeleted = false",
        );
        let query = query.parameter("@parent", id);
        let query = query.within_prefix(access.world().partition_key());
        let found: Vec<String> = meter.record(self.containers.entities.query(&query).await?);
        Ok(found.into_iter().next())
    }

    /// Stores an operation for the worker, unless the user has too many.
    pub(super) async fn begin_operation(
        &self,
        access: &WorldAccess,
        kind: WorldOperationKind,
        entity: &WorldEntity,
        source: Option<String>,
        meter: &mut ChargeMeter,
    ) -> Result<WorldOperation> {
        let query = Query::text(
            "SELECT VALUE c.id FROM c WHERE c.CreatedBy = @user AND c.Kind != 'rewrite_paths' \
             AND c.Status IN ('pending', 'in_progress')",
        );
        let query = query.parameter("@user", access.user());
        let query = query.within(access.world().partition_key());
        let open: Vec<String> = meter.record(self.containers.operations.query(&query).await?);
        let most = self.settings.deletion.max_concurrent;
        if open.len() >= most {
            let message = format!("{most} operations are at work in this world. Wait for one.");
            return Err(Error::new(ErrorKind::Busy, message));
        }
        let id = random_text(&self.environment);
        let about = (access.world(), &entity.id, entity.name.as_str());
        let mut operation = WorldOperation::new(id, kind, about, access.user(), self.now());
        operation.source = source;
        let key = access.world().partition_key();
        let created = self.containers.operations.create(&key, &operation).await?;
        Ok(meter.record(created).into_value())
    }
}
