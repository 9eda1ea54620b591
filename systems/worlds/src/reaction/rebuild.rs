//! Makes the tree of a world again from all of its entities.

use client::{ErrorKind as DataError, Query};
use service::charge::ChargeMeter;

use super::tree::is_lost;
use crate::domain::{StoredTree, TreeEntity, WorldEntity, WorldId, WorldTree};
use crate::error::{Error, ErrorKind, Result};
use crate::worlds::{Worlds, WorldsCore};

/// How often a tree is tried when others write it at the same time.
const ROUNDS_MAX: u32 = 20;

impl Worlds {
    /// Makes the tree of a world again. Returns the new version; none if it was right.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn rebuild(&self, world: &WorldId) -> Result<Option<u64>> {
        self.core.rebuild_tree(world).await
    }

    /// The tree as it would be if it were made again, without writing it; none if the world is gone.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn tree_from_entities(&self, world: &WorldId) -> Result<Option<StoredTree>> {
        let entities = self.core.all_entities(world).await?;
        Ok(StoredTree::of(&tree_of(world, &entities), 0, self.core.now()))
    }
}

/// The tree of these entities.
pub(super) fn tree_of(world: &WorldId, entities: &[WorldEntity]) -> WorldTree {
    let mut tree = WorldTree::new(world);
    for entity in entities {
        tree.insert(entity.id.clone(), TreeEntity::from(entity));
    }
    tree
}

impl WorldsCore {
    /// Every entity of a world, deleted ones included, as long as they are in place.
    pub(crate) async fn all_entities(&self, world: &WorldId) -> Result<Vec<WorldEntity>> {
        let query = Query::text("SELECT * FROM c").within_prefix(world.partition_key());
        Ok(self.containers.entities.query(&query).await?.value)
    }

    pub(super) async fn rebuild_tree(&self, world: &WorldId) -> Result<Option<u64>> {
        let mut meter = ChargeMeter::default();
        for round in 1..=ROUNDS_MAX {
            // The tree before the entities: a change in between is seen by the worker, which then finds another etag.
            let loaded = self.load_tree(world, &mut meter).await?;
            let entities = self.all_entities(world).await?;
            let tree = tree_of(world, &entities);
            let version = loaded.as_ref().map_or(0, |(stored, _)| stored.metadata.version) + 1;
            let Some(new) = StoredTree::of(&tree, version, self.now()) else { return Ok(None) };
            let written = match &loaded {
                Some((stored, _)) if new.is_equal_tree(stored) => return Ok(None),
                Some((stored, etag)) => {
                    self.write_tree(stored, &new, etag.as_ref(), &mut meter).await
                }
                None => self.create_tree(&new, &mut meter).await,
            };
            match written {
                Ok(()) => return Ok(Some(version)),
                Err(error) if is_lost(&error) => self.wait_after(round).await,
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(ErrorKind::Unavailable, format!("the tree of '{world}' keeps changing")))
    }

    /// Creates the items of a tree that does not exist.
    async fn create_tree(&self, new: &StoredTree, meter: &mut ChargeMeter) -> client::Result<()> {
        let key = new.metadata.world_id.partition_key();
        let container = &self.containers.metadata;
        for branch in new.branches.values() {
            meter.add(container.upsert(&key, branch, None).await?.charge);
        }
        meter.add(container.create(&key, &new.metadata).await?.charge);
        Ok(())
    }

    /// Removes the tree, the counter and the operations of a world that is gone.
    pub(crate) async fn remove_world_metadata(&self, world: &WorldId) -> Result<()> {
        for container in [&self.containers.metadata, &self.containers.operations] {
            match container.delete_partition(&world.partition_key()).await {
                Err(error) if error.kind() != DataError::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        Ok(())
    }
}
