//! Deletes and restores an entity with everything nested in it.

use std::collections::BTreeMap;

use client::Query;
use serde::Deserialize;
use service::charge::ChargeMeter;

use super::operations::{CHUNK, ClaimedOperation};
use crate::access::WorldAccess;
use crate::action::RestoredParent;
use crate::domain::{
    DeletedWorldEntity, DeletionReason, EntityId, UtcTimestamp, WorldEntity, WorldId, WorldUser,
};
use crate::error::{Error, ErrorKind, Result};
use crate::worlds::WorldsCore;

/// How often a cascade looks again for entities that were created meanwhile.
const PASSES_MAX: u32 = 20;

/// An entity as a cascade sees it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct NestedRow {
    #[serde(rename = "id")]
    id: EntityId,
    parent_id: Option<EntityId>,
    is_deleted: bool,
}

impl WorldsCore {
    /// Puts an entity into the trash. Whether it was not there before.
    pub(crate) async fn flag_deleted(
        &self,
        world: &WorldId,
        id: &EntityId,
        by: (&WorldUser, UtcTimestamp),
        why: (DeletionReason, &str),
        meter: &mut ChargeMeter,
    ) -> Result<bool> {
        let mut is_flagged = false;
        let key = world.entity_key(id);
        let entities = &self.containers.entities;
        let flagged = entities.modify(&key, id.as_str(), |entity: &mut WorldEntity| {
            is_flagged = !entity.is_deleted;
            if is_flagged {
                entity.mark_deleted(by.0, by.1, why.0, Some(why.1));
            }
            Ok::<_, Error>(())
        });
        match flagged.await {
            Ok(flagged) => meter.add(flagged.charge),
            // The sweep or a purge was faster.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(is_flagged)
    }

    /// Ids of an entity and of everything nested in it that is not deleted, parents first. `ParentId` is followed, not
    /// `AncestorIds`, which may be those of before a move.
    async fn nested_in(
        &self,
        world: &WorldId,
        top: &EntityId,
        meter: &mut ChargeMeter,
    ) -> Result<Vec<EntityId>> {
        let query = Query::text("SELECT c.id, c.ParentId, c.IsDeleted FROM c");
        let query = query.within_prefix(world.partition_key());
        let rows: Vec<NestedRow> = meter.record(self.containers.entities.query(&query).await?);
        let mut children: BTreeMap<&EntityId, Vec<&NestedRow>> = BTreeMap::new();
        for row in &rows {
            if let Some(parent) = &row.parent_id {
                children.entry(parent).or_default().push(row);
            }
        }
        let mut found = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        let mut next: Vec<&NestedRow> = rows.iter().filter(|row| row.id == *top).collect();
        while let Some(row) = next.pop() {
            if !seen.insert(&row.id) {
                continue;
            }
            if !row.is_deleted {
                found.push(row.id.clone());
            }
            next.extend(children.get(&row.id).into_iter().flatten());
        }
        Ok(found)
    }
}

impl ClaimedOperation<'_> {
    /// Deletes everything nested in the entity, until nothing is left.
    pub(super) async fn run_delete(&mut self) -> Result<()> {
        let core = self.core;
        let operation = self.operation.clone();
        let (world, top) = (&operation.world_id, &operation.entity_id);
        for _ in 0..PASSES_MAX {
            let found = core.nested_in(world, top, &mut self.meter).await?;
            if found.is_empty() {
                return Ok(());
            }
            let mut left = found.len();
            for chunk in found.chunks(CHUNK) {
                let mut flagged = 0;
                for id in chunk {
                    let is_top = id == top;
                    let reason = match is_top {
                        true => DeletionReason::UserDeleted,
                        false => DeletionReason::CascadeDelete,
                    };
                    let by = (&operation.created_by, core.now());
                    let why = (reason, operation.id.as_str());
                    let is_flagged = core.flag_deleted(world, id, by, why, &mut self.meter).await?;
                    flagged += u64::from(is_flagged && *id != world.root());
                }
                core.release(world, flagged, &mut self.meter).await?;
                self.advance(chunk.len(), left).await?;
                left -= chunk.len();
            }
        }
        let message = "entities are created faster in it than they are deleted";
        Err(Error::new(ErrorKind::Unavailable, message))
    }

    /// Restores everything that was deleted by the same cascade, parents first.
    pub(super) async fn run_restore(&mut self) -> Result<()> {
        let core = self.core;
        let Some(source) = self.operation.source.clone() else { return Ok(()) };
        let access = WorldAccess::of_operation(&self.operation);
        let mut found = core.deleted_by(access.world(), &source, &mut self.meter).await?;
        found.sort();
        let mut left = found.len();
        for chunk in found.chunks(CHUNK) {
            let mut restored = 0;
            for (_, id) in chunk {
                let parents = RestoredParent::Refuse;
                match core.restore_one(&access, id, parents, &mut self.meter).await {
                    Ok(_) => restored += 1,
                    // Restored by somebody else meanwhile.
                    Err(error) if error.kind() == ErrorKind::NotFound => restored += 1,
                    Err(error) if error.kind() == ErrorKind::Unavailable => return Err(error),
                    Err(error) => self.skipped = Some(format!("'{id}': {error}")),
                }
            }
            self.advance(restored, left).await?;
            left -= chunk.len();
        }
        Ok(())
    }
}

impl WorldsCore {
    /// Depths and ids of everything that a cascade deleted and that is still in the trash.
    async fn deleted_by(
        &self,
        world: &WorldId,
        operation: &str,
        meter: &mut ChargeMeter,
    ) -> Result<Vec<(u32, EntityId)>> {
        let query = || {
            Query::text(
                "SELECT * FROM c WHERE c.DeleteOperationId = @operation AND c.IsDeleted = true",
            )
            .parameter("@operation", operation)
            .within_prefix(world.partition_key())
        };
        let containers = &self.containers;
        let moved: Vec<DeletedWorldEntity> =
            meter.record(containers.deleted.query(&query()).await?);
        let in_place: Vec<WorldEntity> = meter.record(containers.entities.query(&query()).await?);
        let moved = moved.into_iter().map(|one| one.entity);
        let mut all: Vec<_> =
            moved.chain(in_place).map(|entity| (entity.depth, entity.id)).collect();
        all.sort();
        all.dedup();
        Ok(all)
    }
}
