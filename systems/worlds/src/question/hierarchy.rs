//! The tree of a world: a point read, and one more for each branch item of a large world.

use std::collections::BTreeMap;

use client::{EntityTag, ErrorKind as DataError};
use service::charge::{ChargeMeter, ChargedValue};

use crate::access::WorldAccess;
use crate::domain::{BranchItem, HierarchyNode, StoredTree, UtcTimestamp, WorldId, WorldMetadata};
use crate::error::{Error, Result};
use crate::worlds::{Worlds, WorldsCore};

/// The tree of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldHierarchy {
    /// Grows with each change.
    pub version: u64,
    /// The World and everything nested in it.
    pub root: HierarchyNode,
    /// When it was written.
    pub last_updated: UtcTimestamp,
    /// Entities that are not deleted, without the World.
    pub total_entities: u64,
    /// The same by type.
    pub entities_by_type: BTreeMap<String, u64>,
}

impl Worlds {
    /// The tree of a world, with or without what is in the trash.
    ///
    /// # Errors
    /// `NotFound` while a restored world has no tree yet.
    pub async fn hierarchy(
        &self,
        access: &WorldAccess,
        with_deleted: bool,
    ) -> Result<ChargedValue<WorldHierarchy>> {
        let mut meter = ChargeMeter::default();
        let loaded = self.core.load_tree(access.world(), &mut meter).await?;
        let (stored, _) = loaded.ok_or_else(|| Error::not_found("tree"))?;
        let root = stored.assembled();
        let root = if with_deleted { root } else { root.without_deleted() };
        let WorldMetadata { version, last_updated, total_entities, entities_by_type, .. } =
            stored.metadata;
        let hierarchy =
            WorldHierarchy { version, root, last_updated, total_entities, entities_by_type };
        Ok(meter.finish(hierarchy))
    }
}

impl WorldsCore {
    /// The stored items of a tree, with the etag of the item of the world.
    pub(crate) async fn load_tree(
        &self,
        world: &WorldId,
        meter: &mut ChargeMeter,
    ) -> Result<Option<(StoredTree, Option<EntityTag>)>> {
        let (key, container) = (world.partition_key(), &self.containers.metadata);
        let item = match container.read::<WorldMetadata>(&key, world.as_str()).await {
            Ok(read) => meter.record(read),
            Err(error) if error.kind() == DataError::NotFound => {
                meter.record_error(&error);
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        let etag = item.etag();
        let metadata = item.into_value();
        let ids = metadata.branch_ids();
        let mut branches = BTreeMap::new();
        if !ids.is_empty() {
            let ids: Vec<_> = ids.iter().map(|id| (key.clone(), id.as_str())).collect();
            let items = meter.record(container.read_many::<BranchItem>(&ids).await?);
            for item in items {
                let branch = item.into_value();
                branches.insert(branch.id.clone(), branch);
            }
        }
        Ok(Some((StoredTree { metadata, branches }, etag)))
    }
}
