//! Corrects what a crash can leave behind: the tree, paths, the counter, and entities inside of deleted ones.

use std::collections::BTreeSet;
use std::time::Duration;

use client::ErrorKind as DataError;
use service::charge::ChargeMeter;

use super::rebuild::tree_of;
use super::tree::has_right_path;
use crate::domain::{DeletionReason, EntityCounter, EntityId, WorldEntity, WorldId};
use crate::error::Result;
use crate::worlds::Worlds;

/// A counter that was changed more recently may belong to a create between its two writes.
const QUIET: Duration = Duration::from_secs(120);

/// What was corrected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReconcileReport {
    /// Worlds that were looked at.
    pub worlds: u64,
    /// Trees that were written again.
    pub trees: u64,
    /// Entities with a wrong path.
    pub paths: u64,
    /// Counters that were wrong.
    pub counters: u64,
    /// Entities that were in a deleted one without being deleted.
    pub orphans: u64,
}

impl Worlds {
    /// Looks at every world and corrects it.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn reconcile(&self) -> Result<ReconcileReport> {
        let mut report = ReconcileReport::default();
        for world in self.all_worlds().await? {
            self.reconcile_world(&world, &mut report).await?;
        }
        Ok(report)
    }

    async fn reconcile_world(&self, world: &WorldId, report: &mut ReconcileReport) -> Result<()> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        report.worlds += 1;
        let entities = core.all_entities(world).await?;
        report.orphans += self.delete_orphans(world, &entities, &mut meter).await?;
        report.trees += u64::from(core.rebuild_tree(world).await?.is_some());
        let tree = tree_of(world, &entities);
        let stale: BTreeSet<EntityId> = entities
            .iter()
            .filter(|entity| !has_right_path(&tree, entity))
            .map(|entity| entity.id.clone())
            .collect();
        report.paths += u64::try_from(stale.len()).unwrap_or(u64::MAX);
        let version = core.now().ms();
        core.begin_rewrites(&tree, &stale, version, &mut meter).await?;
        report.counters += u64::from(self.correct_counter(world, tree.count()).await?);
        Ok(())
    }

    /// Deletes what was created in an entity while that was being deleted, by the operation that deleted the parent.
    async fn delete_orphans(
        &self,
        world: &WorldId,
        entities: &[WorldEntity],
        meter: &mut ChargeMeter,
    ) -> Result<u64> {
        let core = &self.core;
        let deleted: std::collections::BTreeMap<&EntityId, &WorldEntity> = entities
            .iter()
            .filter(|entity| entity.is_deleted)
            .map(|entity| (&entity.id, entity))
            .collect();
        let mut count = 0;
        for entity in entities.iter().filter(|entity| !entity.is_deleted) {
            let parent = entity.parent_id.as_ref().and_then(|parent| deleted.get(parent));
            let Some(parent) = parent else { continue };
            let by = (parent.deleted_by.as_ref().unwrap_or(&parent.owner_id), core.now());
            let operation = parent.delete_operation_id.as_deref().unwrap_or_default();
            let why = (DeletionReason::CascadeDelete, operation);
            count += u64::from(core.flag_deleted(world, &entity.id, by, why, meter).await?);
        }
        Ok(count)
    }

    /// Whether the counter was wrong, and no create was at work that would make it right.
    async fn correct_counter(&self, world: &WorldId, count: u64) -> Result<bool> {
        let core = &self.core;
        let (key, id) = (world.partition_key(), EntityCounter::item_id(world));
        let counters = &core.containers.metadata;
        let mut item = match counters.read::<EntityCounter>(&key, &id).await {
            Ok(read) => read.value,
            Err(error) if error.kind() == DataError::NotFound => {
                core.create_missing_counter(world, &mut ChargeMeter::default()).await?;
                return Ok(true);
            }
            Err(error) => return Err(error.into()),
        };
        let is_quiet = core.now().since(item.value.changed_date) >= QUIET;
        if item.value.count == count || !is_quiet {
            return Ok(false);
        }
        item.value.count = count;
        item.value.changed_date = core.now();
        match counters.save(&key, &item).await {
            Ok(_) => Ok(true),
            // A create or a delete was faster; the next run looks again.
            Err(error) if error.kind() == DataError::Precondition => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
