//! The tree of a world as items of the container `WorldMetadata`.
//!
//! Owns the choice between one item and branch items (WB-X2): up to 64 KB the tree is in one item; above, everything
//! nested in a child of the World is in an item of its own, so that a change writes one branch and not the whole tree.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{EntityId, HierarchyNode, UtcTimestamp, WorldId, WorldTree};

/// The size above which a tree is stored in branch items.
const SINGLE_ITEM_BYTES_MAX: usize = 64 * 1024;
/// What the seed names as the writer of the tree.
const WRITER: &str = "change-feed-processor";

/// The item with the tree of a world, or with the top of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct WorldMetadata {
    /// The id of the world.
    #[serde(rename = "id")]
    pub id: WorldId,
    /// The world.
    pub world_id: WorldId,
    /// The World and what is nested in it.
    pub hierarchy_root: HierarchyNode,
    /// Nodes whose parent has not arrived yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unattached: Vec<HierarchyNode>,
    /// When it was written.
    pub last_updated: UtcTimestamp,
    /// By what it was written.
    pub last_updated_by: String,
    /// Grows by one with each write.
    pub version: u64,
    /// Entities that are not deleted, without the World.
    #[serde(default)]
    pub total_entities: u64,
    /// The same by type.
    #[serde(default)]
    pub entities_by_type: BTreeMap<String, u64>,
}

/// The item with everything nested in one child of the World.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct BranchItem {
    /// `{world}:{child}`.
    #[serde(rename = "id")]
    pub id: String,
    /// The world.
    pub world_id: WorldId,
    /// The child of the World and what is nested in it.
    pub hierarchy_root: HierarchyNode,
}

/// All items of one tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTree {
    /// The item of the world.
    pub metadata: WorldMetadata,
    /// The branch items, by id; empty for a small tree.
    pub branches: BTreeMap<String, BranchItem>,
}

impl BranchItem {
    pub(crate) fn item_id(world: &WorldId, child: &EntityId) -> String {
        format!("{world}:{child}")
    }
}

impl WorldMetadata {
    /// Ids of the branch items.
    pub(crate) fn branch_ids(&self) -> Vec<String> {
        let children = self.hierarchy_root.children.iter();
        let branches = children.filter(|child| child.has_branch_item);
        branches.map(|child| BranchItem::item_id(&self.world_id, &child.id)).collect()
    }
}

impl StoredTree {
    /// The items of a tree; none if the World itself is not in it.
    #[must_use]
    pub fn of(tree: &WorldTree, version: u64, now: UtcTimestamp) -> Option<Self> {
        let (root, unattached) = tree.nest();
        let mut root = root?;
        let mut branches = BTreeMap::new();
        let bytes = serde_json::to_vec(&root).map_or(0, |text| text.len());
        if bytes > SINGLE_ITEM_BYTES_MAX {
            for child in root.children.iter_mut().filter(|child| !child.children.is_empty()) {
                let top =
                    HierarchyNode { children: Vec::new(), has_branch_item: true, ..child.clone() };
                let whole = std::mem::replace(child, top);
                let id = BranchItem::item_id(tree.world(), &whole.id);
                let world_id = tree.world().clone();
                branches.insert(id.clone(), BranchItem { id, world_id, hierarchy_root: whole });
            }
        }
        let metadata = WorldMetadata {
            id: tree.world().clone(),
            world_id: tree.world().clone(),
            hierarchy_root: root,
            unattached,
            last_updated: now,
            last_updated_by: WRITER.to_owned(),
            version,
            total_entities: tree.count(),
            entities_by_type: tree.count_by_type(),
        };
        Some(Self { metadata, branches })
    }

    /// The whole tree as one node.
    #[must_use]
    pub fn assembled(&self) -> HierarchyNode {
        let mut root = self.metadata.hierarchy_root.clone();
        for child in &mut root.children {
            let id = BranchItem::item_id(&self.metadata.world_id, &child.id);
            if let Some(branch) = self.branches.get(&id) {
                child.children.clone_from(&branch.hierarchy_root.children);
            }
            child.has_branch_item = false;
        }
        root
    }

    /// The tree that was stored.
    #[must_use]
    pub fn tree(&self) -> WorldTree {
        let mut tree = WorldTree::new(&self.metadata.world_id);
        self.assembled().collect_into(None, &mut tree);
        for node in &self.metadata.unattached {
            node.collect_into(None, &mut tree);
        }
        tree
    }

    /// Whether both say the same; versions and times are left out.
    #[must_use]
    pub fn is_equal_tree(&self, other: &Self) -> bool {
        let content = |one: &Self| {
            let WorldMetadata {
                hierarchy_root, unattached, total_entities, entities_by_type, ..
            } = one.metadata.clone();
            (hierarchy_root, unattached, total_entities, entities_by_type)
        };
        content(self) == content(other) && self.branches == other.branches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::TreeEntity;

    fn id(text: &str) -> EntityId {
        EntityId::parse(text).unwrap()
    }

    fn entity(parent: Option<&str>, name: &str) -> TreeEntity {
        TreeEntity {
            parent: parent.map(id),
            name: name.to_owned(),
            entity_type: "Note".to_owned(),
            icon_asset_id: None,
            is_deleted: false,
        }
    }

    fn world(entities: usize) -> WorldTree {
        let mut tree = WorldTree::new(&WorldId::parse("w").unwrap());
        tree.insert(id("w"), entity(None, "World"));
        for number in 0..entities {
            let parent = if number < 10 { "w".to_owned() } else { format!("e{}", number % 10) };
            tree.insert(id(&format!("e{number}")), entity(Some(&parent), &format!("N{number}")));
        }
        tree
    }

    #[test]
    fn a_small_tree_is_one_item_and_a_large_one_has_branches() {
        let small = StoredTree::of(&world(100), 1, UtcTimestamp::default()).unwrap();
        assert!(small.branches.is_empty());
        let large = StoredTree::of(&world(2_000), 1, UtcTimestamp::default()).unwrap();
        assert_eq!(large.branches.len(), 10);
        assert_eq!(large.metadata.branch_ids().len(), 10);
        assert!(large.metadata.hierarchy_root.children.iter().all(|one| one.children.is_empty()));
        for stored in [small, large] {
            let again = stored.tree();
            assert_eq!(StoredTree::of(&again, 1, UtcTimestamp::default()).unwrap(), stored);
        }
    }

    #[test]
    fn a_node_waits_for_its_parent_whatever_comes_first() {
        let mut tree = world(1);
        tree.insert(id("late"), entity(Some("parent"), "Late"));
        let stored = StoredTree::of(&tree, 1, UtcTimestamp::default()).unwrap();
        assert_eq!(stored.metadata.unattached.len(), 1);
        let mut tree = stored.tree();
        tree.insert(id("parent"), entity(Some("e0"), "Parent"));
        let stored = StoredTree::of(&tree, 2, UtcTimestamp::default()).unwrap();
        assert!(stored.metadata.unattached.is_empty());
        let root = stored.assembled();
        assert_eq!(root.children[0].children[0].children[0].name, "Late");
        assert_eq!(root.children[0].children[0].children[0].depth, 3);
        let lineage = tree.lineage(&id("late")).unwrap();
        assert_eq!(
            lineage.iter().map(|(_, name)| *name).collect::<Vec<_>>(),
            ["World", "N0", "Parent", "Late"]
        );
    }

    #[test]
    fn a_cycle_in_damaged_data_waits_outside() {
        let mut tree = world(1);
        tree.insert(id("a"), entity(Some("b"), "A"));
        tree.insert(id("b"), entity(Some("a"), "B"));
        let stored = StoredTree::of(&tree, 1, UtcTimestamp::default()).unwrap();
        assert_eq!(stored.metadata.unattached.len(), 2);
        assert_eq!(tree.lineage(&id("a")), None);
        assert_eq!(stored.tree(), tree);
    }
}
