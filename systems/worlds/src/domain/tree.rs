//! The tree of a world, made from its entities.
//!
//! Owns nesting, order, and nodes whose parent is not known yet. The tree is a function of the set of entities: the
//! order in which they arrive, and how often, makes no difference. Does not own how it is stored (`tree_items`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{EntityId, WorldEntity, WorldId};

/// The deepest nesting of entities. An item of the account may be nested 128 levels deep, and each level of the tree
/// is an object in an array.
pub(crate) const DEPTH_MAX: u32 = 50;

/// One node as it is stored, with everything nested in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(no_recursion)]
pub struct HierarchyNode {
    /// The entity.
    #[schema(value_type = String)]
    pub id: EntityId,
    /// Its name.
    pub name: String,
    /// The name of its type.
    pub entity_type: String,
    /// Zero for the World.
    pub depth: u32,
    /// The asset shown as its icon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon_asset_id: Option<String>,
    /// Whether it is in the trash.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_deleted: bool,
    /// Its children, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Self>,
    /// Whether its children are in an item of their own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_branch_item: bool,
    /// The parent that is not known yet; only of nodes outside of the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub waits_for: Option<EntityId>,
}

/// What the tree knows of one entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntity {
    /// The entity it is nested in; none for the World.
    pub parent: Option<EntityId>,
    /// Its name.
    pub name: String,
    /// The name of its type.
    pub entity_type: String,
    /// The asset shown as its icon.
    pub icon_asset_id: Option<String>,
    /// Whether it is in the trash.
    pub is_deleted: bool,
}

/// All entities of a world, flat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldTree {
    world: WorldId,
    entities: BTreeMap<EntityId, TreeEntity>,
}

impl From<&WorldEntity> for TreeEntity {
    fn from(entity: &WorldEntity) -> Self {
        Self {
            parent: entity.parent_id.clone(),
            name: entity.name.clone(),
            entity_type: entity.entity_type.clone(),
            icon_asset_id: entity.icon_asset_id.clone(),
            is_deleted: entity.is_deleted,
        }
    }
}

impl WorldTree {
    /// A tree without entities.
    #[must_use]
    pub fn new(world: &WorldId) -> Self {
        Self { world: world.clone(), entities: BTreeMap::new() }
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &WorldId {
        &self.world
    }

    /// What it knows of an entity.
    #[must_use]
    pub fn get(&self, id: &EntityId) -> Option<&TreeEntity> {
        self.entities.get(id)
    }

    /// Adds an entity or gives it new values; returns what was known before.
    pub fn insert(&mut self, id: EntityId, entity: TreeEntity) -> Option<TreeEntity> {
        self.entities.insert(id, entity)
    }

    /// Removes an entity. What is nested in it waits outside of the tree.
    pub fn remove(&mut self, id: &EntityId) -> Option<TreeEntity> {
        self.entities.remove(id)
    }

    /// Entities that are not deleted, without the World.
    #[must_use]
    pub fn count(&self) -> u64 {
        let counted = |entity: &&TreeEntity| entity.parent.is_some() && !entity.is_deleted;
        u64::try_from(self.entities.values().filter(counted).count()).unwrap_or(u64::MAX)
    }

    /// The numbers of entities that are not deleted, by type; without the World.
    #[must_use]
    pub fn count_by_type(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for entity in self.entities.values() {
            if entity.parent.is_some() && !entity.is_deleted {
                *counts.entry(entity.entity_type.clone()).or_default() += 1;
            }
        }
        counts
    }

    /// Whether anything is nested in an entity.
    #[must_use]
    pub fn has_children(&self, id: &EntityId) -> bool {
        self.entities.values().any(|entity| entity.parent.as_ref() == Some(id))
    }

    /// The ids and names from the World to an entity, both inclusive; none if it is not connected to the World.
    #[must_use]
    pub fn lineage(&self, id: &EntityId) -> Option<Vec<(&EntityId, &str)>> {
        let mut lineage = Vec::new();
        let (mut id, mut entity) = self.entities.get_key_value(id)?;
        loop {
            lineage.push((id, entity.name.as_str()));
            match &entity.parent {
                None => break,
                // Longer than the number of entities: a cycle in damaged data.
                Some(_) if lineage.len() > self.entities.len() => return None,
                Some(parent) => (id, entity) = self.entities.get_key_value(parent)?,
            }
        }
        lineage.reverse();
        Some(lineage)
    }

    /// The nested nodes, and those that are not connected to the World, by id.
    #[must_use]
    pub fn nest(&self) -> (Option<HierarchyNode>, Vec<HierarchyNode>) {
        let mut children: BTreeMap<&EntityId, Vec<&EntityId>> = BTreeMap::new();
        for (id, entity) in &self.entities {
            if let Some(parent) = &entity.parent {
                children.entry(parent).or_default().push(id);
            }
        }
        let root = self.world.root();
        let mut nested = 0;
        let node = self.node(&root, 0, &children, &mut nested);
        let mut waiting = Vec::new();
        if nested < self.entities.len() {
            let mut reached = std::collections::BTreeSet::new();
            if let Some(node) = &node {
                node.walk(&mut |one| {
                    reached.insert(one.id.clone());
                });
            }
            for (id, entity) in self.entities.iter().filter(|(id, _)| !reached.contains(*id)) {
                let mut node = leaf(id, entity, 0);
                node.waits_for.clone_from(&entity.parent);
                waiting.push(node);
            }
        }
        (node, waiting)
    }

    fn node(
        &self,
        id: &EntityId,
        depth: u32,
        children: &BTreeMap<&EntityId, Vec<&EntityId>>,
        nested: &mut usize,
    ) -> Option<HierarchyNode> {
        let entity = self.entities.get(id)?;
        // Deeper than any create or move allows, so it must be damaged data; it waits outside of the tree.
        if depth > DEPTH_MAX {
            return None;
        }
        *nested += 1;
        let mut node = leaf(id, entity, depth);
        let below = children.get(id).into_iter().flatten();
        node.children =
            below.filter_map(|child| self.node(child, depth + 1, children, nested)).collect();
        node.children.sort_by(|one, other| (&one.name, &one.id).cmp(&(&other.name, &other.id)));
        Some(node)
    }
}

fn leaf(id: &EntityId, entity: &TreeEntity, depth: u32) -> HierarchyNode {
    HierarchyNode {
        id: id.clone(),
        name: entity.name.clone(),
        entity_type: entity.entity_type.clone(),
        depth,
        icon_asset_id: entity.icon_asset_id.clone(),
        is_deleted: entity.is_deleted,
        children: Vec::new(),
        has_branch_item: false,
        waits_for: None,
    }
}

impl HierarchyNode {
    /// Calls a function with every node, parents first.
    pub fn walk(&self, visit: &mut impl FnMut(&Self)) {
        visit(self);
        for child in &self.children {
            child.walk(visit);
        }
    }

    /// Adds every node to a tree.
    pub(crate) fn collect_into(&self, parent: Option<&EntityId>, tree: &mut WorldTree) {
        let entity = TreeEntity {
            parent: parent.or(self.waits_for.as_ref()).cloned(),
            name: self.name.clone(),
            entity_type: self.entity_type.clone(),
            icon_asset_id: self.icon_asset_id.clone(),
            is_deleted: self.is_deleted,
        };
        tree.insert(self.id.clone(), entity);
        for child in &self.children {
            child.collect_into(Some(&self.id), tree);
        }
    }

    /// The same node without what is in the trash.
    #[must_use]
    pub fn without_deleted(mut self) -> Self {
        self.children.retain(|child| !child.is_deleted);
        self.children = self.children.into_iter().map(Self::without_deleted).collect();
        self
    }
}
