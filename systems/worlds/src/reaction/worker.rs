//! The worker that keeps the trees: reads changes of entities, world by world.
//!
//! Owns the worker as a value. Does not own how a tree changes (`tree`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use client::Change;
use client::processor::{DeliveryContext, Processor, ProcessorStart, Reaction, ReactionError};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::domain::{EntityId, WorldId};
use crate::error::Result;
use crate::worlds::{Worlds, WorldsCore};

/// The name of the processor, which its leases have.
const PROCESSOR: &str = "hierarchy";

/// One worker. Several, in one process or in many, share the change feed by leases.
#[derive(Debug)]
pub struct TreeWorker {
    processor: Processor<IgnoredAny>,
    trees: Arc<AtomicU64>,
}

/// What one round of a worker did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerRound {
    /// Parts of the change feed that this worker has leased.
    pub leases: usize,
    /// Changes that were looked at.
    pub changes: u64,
    /// Trees that were written.
    pub trees: u64,
}

/// Passes the changes of a page to the trees, once per world.
struct TreeReaction {
    core: Arc<WorldsCore>,
    trees: Arc<AtomicU64>,
}

/// What is needed of an entity. The rest is read again when the tree changes.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ChangedEntity {
    #[serde(rename = "id")]
    id: EntityId,
    world_id: WorldId,
}

impl Worlds {
    /// A worker with this name, which no other worker may have at the same time. A worker that restarts under its old
    /// name keeps its leases; under a new name it has to wait until they expire.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn tree_worker(&self, name: &str) -> Result<TreeWorker> {
        let core = &self.core;
        let (settings, containers) = (&core.settings.change_feed, &core.containers);
        let trees = Arc::new(AtomicU64::new(0));
        let reaction = TreeReaction { core: Arc::clone(core), trees: Arc::clone(&trees) };
        let poll = settings.poll_interval();
        let processor =
            Processor::<IgnoredAny>::builder(&containers.entities, &containers.leases, PROCESSOR)
                .instance(name)
                // Entities that were created before the first worker ever ran belong into a tree too.
                .start_at(ProcessorStart::Beginning)
                .page_items_max(settings.batch_size)
                .poll_interval(poll)
                // A lease is renewed once per poll at most, so it has to outlive two polls.
                .lease_expiry(settings.lease().max(poll * 2))
                // The reaction fails only while the data cannot be reached. The processor must then wait and must not
                // park the change.
                .attempts_max(u32::MAX)
                .build(reaction)
                .await?;
        Ok(TreeWorker { processor, trees })
    }
}

impl TreeWorker {
    /// Brings the trees up to date with everything that is new in this worker's share of the change feed.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn run_once(&self) -> Result<WorkerRound> {
        let round = self.processor.run_once().await?;
        let trees = self.trees.swap(0, Ordering::Relaxed);
        Ok(WorkerRound { leases: round.leases, changes: round.handled, trees })
    }

    /// Releases the worker's leases, so that other workers need not wait until they expire.
    ///
    /// # Errors
    /// Those of the account; the leases then expire.
    pub async fn stop(&self) -> Result<()> {
        Ok(self.processor.stop().await?)
    }
}

#[async_trait]
impl Reaction<IgnoredAny> for TreeReaction {
    async fn react(
        &self,
        changes: &[Change<IgnoredAny>],
        _: &DeliveryContext,
    ) -> std::result::Result<(), ReactionError> {
        let mut worlds: BTreeMap<WorldId, Vec<EntityId>> = BTreeMap::new();
        for change in changes {
            let Some(item) = &change.current else { continue };
            match item.typed::<ChangedEntity>() {
                Ok(changed) => {
                    let ChangedEntity { id, world_id } = changed.into_value();
                    let ids = worlds.entry(world_id).or_default();
                    if !ids.contains(&id) {
                        ids.push(id);
                    }
                }
                // Written by hand; it must not stop the trees of others.
                Err(error) => tracing::error!(%error, "a changed item is no entity"),
            }
        }
        // One write per world, however many of its entities changed (WB-X2).
        for (world, ids) in worlds {
            if self.core.update_tree(&world, &ids).await?.value.is_some() {
                self.trees.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(())
    }
}
