//! Brings the tree of a world up to date after changes of entities.
//!
//! Owns the one way in which a tree is written. A change only says which entity to look at: the entity is read again,
//! after the tree, and the tree is written under its etag. So a change that arrives late, twice or out of order cannot
//! bring back an old state. Entities that have a new name or parent get an operation for what is nested in them, before
//! the tree is written: a crash in between repeats both.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use client::{EntityTag, ErrorKind as DataError, ItemBatch};
use service::charge::{ChargeMeter, ChargedValue};

use crate::access::WorldAccess;
use crate::domain::{
    EntityId, StoredTree, TreeEntity, WorldEntity, WorldId, WorldOperation, WorldOperationKind,
    WorldTree, WorldUser,
};
use crate::error::{Error, ErrorKind, Result};
use crate::worlds::{Worlds, WorldsCore};

/// How often a tree is tried when others write it at the same time.
const ROUNDS_MAX: u32 = 20;
/// Operations and bytes of one transaction at most; an account takes 100 and 2 MB.
const BATCH_OPERATIONS_MAX: usize = 90;
const BATCH_BYTES_MAX: usize = 1_500_000;
/// The size from which a warning is logged: an account stores 2 MB.
const ITEM_BYTES_ALARM: usize = 1_500_000;
/// Who asks for the operations of the worker.
const WORKER_USER: &str = "change-feed-processor";

impl Worlds {
    /// Brings the tree up to date with an entity now, without waiting for the worker. Returns the new version; none if
    /// nothing changed.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn refresh_tree(
        &self,
        access: &WorldAccess,
        id: &EntityId,
    ) -> Result<ChargedValue<Option<u64>>> {
        self.core.update_tree(access.world(), std::slice::from_ref(id)).await
    }
}

impl WorldsCore {
    /// Brings the tree up to date with these entities. Returns the new version; none if nothing changed.
    pub(crate) async fn update_tree(
        &self,
        world: &WorldId,
        ids: &[EntityId],
    ) -> Result<ChargedValue<Option<u64>>> {
        let mut meter = ChargeMeter::default();
        for round in 1..=ROUNDS_MAX {
            let Some((stored, etag)) = self.load_tree(world, &mut meter).await? else {
                // A world that was restored after the sweep removed its tree, or one that is gone.
                return Ok(meter.finish(self.rebuild_tree(world).await?));
            };
            let entities = self.read_entities(world, ids, &mut meter).await?;
            let mut tree = stored.tree();
            let stale = apply(&mut tree, ids, &entities);
            let version = stored.metadata.version + 1;
            self.begin_rewrites(&tree, &stale, version, &mut meter).await?;
            let Some(new) = StoredTree::of(&tree, version, self.now()) else {
                return Ok(meter.finish(None));
            };
            if new.is_equal_tree(&stored) {
                return Ok(meter.finish(None));
            }
            match self.write_tree(&stored, &new, etag.as_ref(), &mut meter).await {
                Ok(()) => return Ok(meter.finish(Some(version))),
                Err(error) if is_lost(&error) => self.wait_after(round).await,
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(ErrorKind::Unavailable, format!("the tree of '{world}' keeps changing")))
    }

    pub(super) async fn wait_after(&self, round: u32) {
        let jitter_ms = self.environment.random() % u64::from(10 * round);
        self.environment.sleep(Duration::from_millis(jitter_ms)).await;
    }

    async fn read_entities(
        &self,
        world: &WorldId,
        ids: &[EntityId],
        meter: &mut ChargeMeter,
    ) -> Result<BTreeMap<EntityId, WorldEntity>> {
        let addresses: Vec<_> = ids.iter().map(|id| (world.entity_key(id), id.as_str())).collect();
        let items = self.containers.entities.read_many::<WorldEntity>(&addresses).await?;
        let items = meter.record(items).into_iter().map(client::Item::into_value);
        Ok(items.map(|entity| (entity.id.clone(), entity)).collect())
    }

    /// Stores an operation for each entity whose nested entities have paths of before.
    pub(super) async fn begin_rewrites(
        &self,
        tree: &WorldTree,
        stale: &BTreeSet<EntityId>,
        version: u64,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        for id in stale {
            let Some(entity) = tree.get(id) else { continue };
            // The version makes it another operation than that of an earlier change, which may just be finishing.
            let operation_id = format!("paths-{id}-{version}");
            let user = WorldUser::parse(WORKER_USER)
                .map_err(|why| Error::new(ErrorKind::Internal, why))?;
            let about = (tree.world(), id, entity.name.as_str());
            let kind = WorldOperationKind::RewritePaths;
            let operation = WorldOperation::new(operation_id, kind, about, &user, self.now());
            let key = tree.world().partition_key();
            match self.containers.operations.create(&key, &operation).await {
                Ok(created) => meter.add(created.charge),
                // Stored by a delivery that did not get further.
                Err(error) if error.kind() == DataError::Conflict => meter.record_error(&error),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Writes the items of a tree that differ. The item of the world comes last, under its etag.
    pub(super) async fn write_tree(
        &self,
        old: &StoredTree,
        new: &StoredTree,
        etag: Option<&EntityTag>,
        meter: &mut ChargeMeter,
    ) -> client::Result<()> {
        let key = new.metadata.world_id.partition_key();
        let container = &self.containers.metadata;
        let (mut batch, mut operations, mut bytes) = (ItemBatch::new(), 0, 0);
        let mut writes = Vec::new();
        for (id, branch) in &new.branches {
            if old.branches.get(id) != Some(branch) {
                let size = serde_json::to_vec(branch).map_or(0, |text| text.len());
                if size > ITEM_BYTES_ALARM {
                    tracing::warn!(id, size, "a branch of a tree is nearly too large to store");
                }
                writes.push((Some(branch), id, size));
            }
        }
        let gone = old.branches.keys().filter(|id| !new.branches.contains_key(*id));
        writes.extend(gone.map(|id| (None, id, 0)));
        for (branch, id, size) in writes {
            if operations >= BATCH_OPERATIONS_MAX || bytes + size > BATCH_BYTES_MAX {
                meter.record(container.batch(&key, std::mem::take(&mut batch)).await?);
                (operations, bytes) = (0, 0);
            }
            batch = match branch {
                Some(branch) => batch.upsert(branch, None)?,
                None => batch.delete(id, None)?,
            };
            (operations, bytes) = (operations + 1, bytes + size);
        }
        if operations == 0 {
            meter.add(container.replace(&key, &new.metadata, etag).await?.charge);
            return Ok(());
        }
        let batch = batch.replace(&new.metadata, etag)?;
        meter.record(container.batch(&key, batch).await?);
        Ok(())
    }
}

/// Whether somebody else wrote the tree meanwhile.
pub(super) fn is_lost(error: &client::Error) -> bool {
    matches!(error.kind(), DataError::Precondition | DataError::Conflict | DataError::NotFound)
}

/// Applies the entities to the tree. Returns those whose own path, or the paths of what is nested in them, are those of
/// before.
fn apply(
    tree: &mut WorldTree,
    ids: &[EntityId],
    entities: &BTreeMap<EntityId, WorldEntity>,
) -> BTreeSet<EntityId> {
    let mut stale = BTreeSet::new();
    for id in ids {
        let Some(entity) = entities.get(id) else {
            tree.remove(id);
            continue;
        };
        let before = tree.insert(id.clone(), TreeEntity::from(entity));
        let has_moved =
            before.is_some_and(|one| one.name != entity.name || one.parent != entity.parent_id);
        if has_moved && tree.has_children(id) {
            stale.insert(id.clone());
        }
    }
    for entity in entities.values() {
        if !has_right_path(tree, entity) {
            stale.insert(entity.id.clone());
        }
    }
    stale
}

/// Whether an entity has the path that the tree says. One that is not connected to the World has no other.
pub(super) fn has_right_path(tree: &WorldTree, entity: &WorldEntity) -> bool {
    let Some(lineage) = tree.lineage(&entity.id) else { return true };
    let names = lineage.iter().map(|(_, name)| *name);
    let ids = lineage.iter().map(|(id, _)| *id);
    // The lineage ends with the entity itself, which is not its own ancestor.
    names.eq(entity.path.iter().map(String::as_str))
        && ids.eq(entity.ancestor_ids.iter().chain([&entity.id]))
}
