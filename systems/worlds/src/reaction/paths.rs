//! Gives everything nested in a renamed or moved entity its new path, depth and ancestors (WB-X5).
//!
//! It can be run again at any time: an entity whose path is right is not written. After its last write it looks at
//! everything once more, so that of two operations at the same time the last one leaves all paths right.

use client::Query;
use serde::Deserialize;

use super::operations::{CHUNK, ClaimedOperation};
use crate::domain::{EntityId, TreeEntity, WorldEntity, WorldTree};
use crate::error::{Error, ErrorKind, Result};

/// How often it looks again. Each further pass means that somebody renamed or moved something meanwhile.
const PASSES_MAX: u32 = 50;

/// An entity with its path.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct PathRow {
    #[serde(rename = "id")]
    id: EntityId,
    parent_id: Option<EntityId>,
    name: String,
    #[serde(default)]
    path: Vec<String>,
    #[serde(default)]
    ancestor_ids: Vec<EntityId>,
}

/// What an entity should have.
struct RightPath {
    id: EntityId,
    parent: Option<EntityId>,
    names: Vec<String>,
    ancestors: Vec<EntityId>,
}

impl ClaimedOperation<'_> {
    pub(super) async fn run_rewrite(&mut self) -> Result<()> {
        for _ in 0..PASSES_MAX {
            let wrong = self.wrong_paths().await?;
            if wrong.is_empty() {
                return Ok(());
            }
            let mut left = wrong.len();
            for chunk in wrong.chunks(CHUNK) {
                for right in chunk {
                    self.write_path(right).await?;
                }
                self.advance(chunk.len(), left).await?;
                left -= chunk.len();
            }
        }
        Err(Error::new(ErrorKind::Unavailable, "entities are moved faster than paths are written"))
    }

    /// The entities below the top of this operation whose path is not the one that follows from their parents.
    async fn wrong_paths(&mut self) -> Result<Vec<RightPath>> {
        let (world, top) = (&self.operation.world_id, &self.operation.entity_id);
        let query = Query::text("SELECT c.id, c.ParentId, c.Name, c.Path, c.AncestorIds FROM c");
        let query = query.within_prefix(world.partition_key());
        let rows: Vec<PathRow> =
            self.meter.record(self.core.containers.entities.query(&query).await?);
        let mut tree = WorldTree::new(world);
        for row in &rows {
            let entity = TreeEntity {
                parent: row.parent_id.clone(),
                name: row.name.clone(),
                entity_type: String::new(),
                icon_asset_id: None,
                is_deleted: false,
            };
            tree.insert(row.id.clone(), entity);
        }
        let mut wrong = Vec::new();
        for row in rows {
            let Some(lineage) = tree.lineage(&row.id) else { continue };
            if !lineage.iter().any(|(id, _)| *id == top) {
                continue;
            }
            let names: Vec<String> = lineage.iter().map(|(_, name)| (*name).to_owned()).collect();
            let mut ancestors: Vec<EntityId> =
                lineage.iter().map(|(id, _)| (*id).clone()).collect();
            ancestors.pop();
            if names != row.path || ancestors != row.ancestor_ids {
                wrong.push(RightPath { id: row.id, parent: row.parent_id, names, ancestors });
            }
        }
        Ok(wrong)
    }

    async fn write_path(&mut self, right: &RightPath) -> Result<()> {
        let key = self.operation.world_id.entity_key(&right.id);
        let entities = &self.core.containers.entities;
        let written = entities.modify(&key, right.id.as_str(), |entity: &mut WorldEntity| {
            // Renamed or moved since it was looked at: the next pass sees it.
            if entity.parent_id == right.parent && right.names.last() == Some(&entity.name) {
                entity.path.clone_from(&right.names);
                entity.ancestor_ids.clone_from(&right.ancestors);
                entity.depth = u32::try_from(right.ancestors.len()).unwrap_or(u32::MAX);
            }
            Ok::<_, Error>(())
        });
        match written.await {
            Ok(written) => self.meter.add(written.charge),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
