//! Nests an entity in another parent.
//!
//! Owns the check for cycles. Everything nested in the entity gets its new path in the background
//! (`reaction/operations`).

use client::{EntityTag, Query};
use service::charge::{ChargeMeter, ChargedValue};

use super::create::WrittenEntity;
use super::update::{can_repeat, require_etag};
use crate::access::WorldAccess;
use crate::domain::DEPTH_MAX;
use crate::domain::{EntityId, WorldEntity};
use crate::error::{Error, ErrorKind, Result};
use crate::worlds::{Worlds, WorldsCore};

impl Worlds {
    /// Moves an entity. With an etag, only if nobody else changed it since.
    ///
    /// # Errors
    /// `Cycle` for a parent that is nested in the entity, `InvalidParent` for a parent that does not exist, is deleted
    /// or may not hold it, `Changed` for another etag, `NotFound`, `Conflict` for the World.
    pub async fn move_entity(
        &self,
        access: &WorldAccess,
        id: &EntityId,
        new_parent: &EntityId,
        if_match: Option<&EntityTag>,
    ) -> Result<ChargedValue<WrittenEntity>> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        for round in 1.. {
            let mut item = core.read_active(access, id, &mut meter).await?;
            require_etag(&item, if_match)?;
            let Some(old_parent) = item.value.parent_id.clone() else {
                return Err(Error::new(ErrorKind::Conflict, "A World cannot be moved."));
            };
            if new_parent == id {
                return Err(cycle(id));
            }
            let parent = core.read_parent(access, new_parent, &mut meter).await?;
            core.check_no_cycle(access, id, &parent, &mut meter).await?;
            let entity = &mut item.value;
            let mut warnings = Vec::new();
            warnings.extend(core.check_parent(&entity.entity_type, &parent)?);
            core.check_depth(access, entity, &parent, &mut meter).await?;
            entity.attach_to(&parent);
            entity.mark_changed(access.user(), core.now());
            match core.containers.entities.save(&entity.partition_key(), &item).await {
                Ok(saved) => {
                    let written = core.finish_write(saved, warnings, meter);
                    core.undo_if_cycle(access, &written, &old_parent, &parent).await?;
                    return Ok(written);
                }
                Err(error) if can_repeat(&error, if_match, round) => meter.record_error(&error),
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(ErrorKind::Internal, "the rounds of a move are bounded"))
    }
}

fn cycle(id: &EntityId) -> Error {
    Error::new(ErrorKind::Cycle, format!("The entity '{id}' would be nested in itself."))
}

impl WorldsCore {
    /// Follows the parents up to the World. `AncestorIds` would be one read less, but may still be those of before
    /// another move.
    async fn check_no_cycle(
        &self,
        access: &WorldAccess,
        id: &EntityId,
        parent: &WorldEntity,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        let mut above = parent.parent_id.clone();
        for _ in 0..=DEPTH_MAX {
            let Some(next) = above else { return Ok(()) };
            if next == *id {
                return Err(cycle(id));
            }
            let found = self.find(access.world(), &next, meter).await?;
            above = found.and_then(|item| item.into_value().parent_id);
        }
        // More parents than entities can be nested: it is a cycle already.
        Err(cycle(id))
    }

    /// Two moves at the same time can nest two entities in each other, each move being right by itself. The later one
    /// sees it and goes back.
    async fn undo_if_cycle(
        &self,
        access: &WorldAccess,
        written: &ChargedValue<WrittenEntity>,
        old_parent: &EntityId,
        parent: &WorldEntity,
    ) -> Result<()> {
        let (mut meter, moved) = (ChargeMeter::default(), &written.value.entity);
        let current = self.find(access.world(), &parent.id, &mut meter).await?;
        let Some(current) = current else { return Ok(()) };
        let Err(error) = self.check_no_cycle(access, &moved.id, &current.value, &mut meter).await
        else {
            return Ok(());
        };
        let former = self.find(access.world(), old_parent, &mut meter).await?;
        if let Some(former) = former {
            let mut back = moved.clone();
            back.attach_to(&former.value);
            let key = back.partition_key();
            let etag = written.value.etag.as_ref();
            self.containers.entities.replace(&key, &back, etag).await?;
        }
        Err(error)
    }

    /// The deepest entity nested in a moved one must not be nested too deeply.
    async fn check_depth(
        &self,
        access: &WorldAccess,
        entity: &WorldEntity,
        parent: &WorldEntity,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        if parent.depth < entity.depth {
            return Ok(());
        }
        let query = Query::text(
            "SELECT TOP 1 VALUE c.Depth FROM c WHERE ARRAY_CONTAINS(c.AncestorIds, @id) \
             ORDER BY c.Depth DESC",
        );
        let query = query.parameter("@id", &entity.id);
        let query = query.within_prefix(access.world().partition_key());
        let deepest: Vec<u32> = meter.record(self.containers.entities.query(&query).await?);
        let height = deepest.first().map_or(0, |depth| depth.saturating_sub(entity.depth));
        if parent.depth + 1 + height > DEPTH_MAX {
            let message = format!("Entities can be nested {DEPTH_MAX} levels deep.");
            return Err(Error::new(ErrorKind::InvalidParent, message));
        }
        Ok(())
    }
}
