//! Changes an entity: everything but its parent.

use client::{EntityTag, ErrorKind as DataError, Item, Query};
use service::charge::{ChargeMeter, ChargedValue};

use super::create::WrittenEntity;
use crate::access::WorldAccess;
use crate::domain::{EntityChange, EntityId, WorldEntity};
use crate::error::{Error, ErrorKind, Result};
use crate::worlds::{Worlds, WorldsCore};

/// How often a change without an etag starts over when somebody else was faster.
const ROUNDS_MAX: u32 = 10;

impl Worlds {
    /// Changes an entity. With an etag, only if nobody else changed it since.
    ///
    /// # Errors
    /// `Invalid` with every wrong field, `InvalidParent` for a type that its parent may not hold, `Changed` for another
    /// etag, `NotFound`.
    pub async fn update_entity(
        &self,
        access: &WorldAccess,
        id: &EntityId,
        change: &EntityChange,
        if_match: Option<&EntityTag>,
    ) -> Result<ChargedValue<WrittenEntity>> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        for round in 1.. {
            let mut item = core.read_active(access, id, &mut meter).await?;
            require_etag(&item, if_match)?;
            let old_type = item.value.entity_type.clone();
            let entity = &mut item.value;
            let mistakes = change.apply(entity);
            core.check_fields(entity, mistakes, &mut meter).await?;
            let mut warnings = Vec::new();
            if entity.entity_type != old_type {
                warnings = core.check_type_change(access, entity, &mut meter).await?;
            }
            entity.mark_changed(access.user(), core.now());
            match core.containers.entities.save(&entity.partition_key(), &item).await {
                Ok(saved) => return Ok(core.finish_write(saved, warnings, meter)),
                Err(error) if can_repeat(&error, if_match, round) => meter.record_error(&error),
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(ErrorKind::Internal, "the rounds of a change are bounded"))
    }
}

/// Fails if the caller has seen another version.
pub(super) fn require_etag(item: &Item<WorldEntity>, if_match: Option<&EntityTag>) -> Result<()> {
    match if_match {
        Some(etag) if item.etag().as_ref() != Some(etag) => {
            let message = "Somebody else changed it. Read it again.";
            Err(Error::new(ErrorKind::Changed, message))
        }
        _ => Ok(()),
    }
}

/// Whether a write that lost against another starts over: not if the caller named the version to change.
pub(super) fn can_repeat(error: &client::Error, if_match: Option<&EntityTag>, round: u32) -> bool {
    error.kind() == DataError::Precondition && if_match.is_none() && round < ROUNDS_MAX
}

impl WorldsCore {
    /// The result of a write.
    pub(super) fn finish_write(
        &self,
        saved: client::AccountResponse<Item<WorldEntity>>,
        warnings: Vec<String>,
        mut meter: ChargeMeter,
    ) -> ChargedValue<WrittenEntity> {
        let etag = saved.etag.clone();
        let entity = meter.record(saved).into_value();
        if entity.is_world() {
            self.access.forget(&entity.world_id);
        }
        meter.finish(WrittenEntity { entity, etag, warnings })
    }

    /// Checks a new type against the parent and against everything nested in the entity.
    async fn check_type_change(
        &self,
        access: &WorldAccess,
        entity: &WorldEntity,
        meter: &mut ChargeMeter,
    ) -> Result<Vec<String>> {
        let Some(parent_id) = &entity.parent_id else {
            return Err(Error::invalid_field("entityType", "a World stays a World"));
        };
        let parent = self.read_parent(access, parent_id, meter).await?;
        let mut warnings = Vec::new();
        warnings.extend(self.check_parent(&entity.entity_type, &parent)?);
        let query = Query::text(
            "SELECT VALUE c.EntityType FROM c WHERE c.ParentId = @parent AND c.IsDeleted = false",
        );
        let query = query.parameter("@parent", &entity.id);
        let query = query.within_prefix(access.world().partition_key());
        let children: Vec<String> = meter.record(self.containers.entities.query(&query).await?);
        for child in children {
            warnings.extend(self.check_parent(&child, entity)?);
        }
        warnings.dedup();
        Ok(warnings)
    }
}
