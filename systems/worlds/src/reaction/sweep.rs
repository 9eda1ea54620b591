//! Moves entities whose grace period is over into the container of deleted entities (WB-092, WB-X12).
//!
//! No change happens when the time is over, so the change feed would never say it: this runs every hour. The copy is
//! written before the entity is deleted; a crash in between leaves both, and the next sweep goes on.

use std::collections::{BTreeMap, BTreeSet};

use client::{ErrorKind as DataError, Item, Query, QueryPageOptions};

use crate::domain::{DeletedWorldEntity, EntityId, WorldEntity, WorldId};
use crate::error::Result;
use crate::worlds::Worlds;

/// Entities per page.
const PAGE: usize = 200;

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrashSweep {
    /// Entities that were moved.
    pub moved: u64,
    /// Worlds that were removed, with their trees.
    pub worlds: u64,
}

impl Worlds {
    /// Moves every entity whose grace period is over.
    ///
    /// # Errors
    /// Those of the account; what was moved before stays moved.
    pub async fn sweep_trash(&self) -> Result<TrashSweep> {
        let core = &self.core;
        let cutoff = core.now().before(core.settings.deletion.grace());
        let query =
            Query::text("SELECT * FROM c WHERE c.IsDeleted = true AND c.DeletedDate < @cutoff");
        let query = query.parameter("@cutoff", cutoff).fan_out("the trash of every world is swept");
        let mut sweep = TrashSweep::default();
        let mut moved: BTreeMap<WorldId, Vec<EntityId>> = BTreeMap::new();
        let mut gone = BTreeSet::new();
        let mut continuation = None;
        loop {
            let options =
                QueryPageOptions { rows_max: Some(PAGE), continuation, session_token: None };
            let page =
                core.containers.entities.query_page::<Item<WorldEntity>>(&query, options).await?;
            for item in page.value.rows {
                if !self.move_to_deleted(&item).await? {
                    continue;
                }
                sweep.moved += 1;
                let entity = item.value;
                if entity.is_world() {
                    gone.insert(entity.world_id.clone());
                }
                moved.entry(entity.world_id).or_default().push(entity.id);
            }
            continuation = page.value.continuation;
            if continuation.is_none() {
                break;
            }
        }
        for (world, ids) in moved {
            if gone.contains(&world) {
                core.remove_world_metadata(&world).await?;
                core.access.forget(&world);
                sweep.worlds += 1;
            } else {
                // The change feed has no deletes, so the tree would not learn of it (WB-X22).
                core.update_tree(&world, &ids).await?;
            }
        }
        Ok(sweep)
    }

    /// Whether it was moved; not if somebody restored it meanwhile.
    async fn move_to_deleted(&self, item: &Item<WorldEntity>) -> Result<bool> {
        let (core, entity) = (&self.core, &item.value);
        let now = core.now();
        let (key, id) = (entity.partition_key(), entity.id.as_str());
        let end = now.after(core.settings.deletion.retention());
        let deleted = DeletedWorldEntity::new(entity.clone(), end, now);
        core.containers.deleted.upsert(&key, &deleted, None).await?;
        match core.containers.entities.delete(&key, id, item.etag().as_ref()).await {
            Ok(_) => Ok(true),
            // Another sweep was faster.
            Err(error) if error.kind() == DataError::NotFound => Ok(false),
            Err(error) if error.kind() == DataError::Precondition => {
                core.containers.deleted.delete(&key, id, None).await?;
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }
}
