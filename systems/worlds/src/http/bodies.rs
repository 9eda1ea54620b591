//! Entities, trees and operations as clients see them: names in camelCase.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::{
    DeletionReason, EntityId, HierarchyNode, OperationStatus, UtcTimestamp, WorldEntity,
    WorldOperation, WorldOperationKind,
};
use crate::question::{TrashedEntity, WorldHierarchy};

/// An entity.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EntityBody {
    id: String,
    world_id: String,
    parent_id: Option<String>,
    entity_type: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    tags: Vec<String>,
    /// Names from the World to this entity.
    path: Vec<String>,
    /// Ids from the World to its parent.
    ancestor_ids: Vec<String>,
    depth: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema_version: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    properties: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    system_properties: Option<Map<String, Value>>,
    owner_id: String,
    #[schema(value_type = String)]
    created_date: UtcTimestamp,
    #[schema(value_type = String)]
    modified_date: UtcTimestamp,
    is_deleted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    deleted_date: Option<UtcTimestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deletion_reason: Option<DeletionReason>,
    /// When it is gone for good; only after the time for an undo.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    hard_delete_date: Option<UtcTimestamp>,
}

impl From<WorldEntity> for EntityBody {
    fn from(entity: WorldEntity) -> Self {
        let text = |id: EntityId| id.as_str().to_owned();
        Self {
            id: text(entity.id),
            world_id: entity.world_id.as_str().to_owned(),
            parent_id: entity.parent_id.map(text),
            entity_type: entity.entity_type,
            name: entity.name,
            description: entity.description,
            tags: entity.tags,
            path: entity.path,
            ancestor_ids: entity.ancestor_ids.into_iter().map(text).collect(),
            depth: entity.depth,
            schema_id: entity.schema_id,
            schema_version: entity.schema_version,
            properties: entity.properties,
            system_properties: entity.system_properties,
            owner_id: entity.owner_id.as_str().to_owned(),
            created_date: entity.created_date,
            modified_date: entity.modified_date,
            is_deleted: entity.is_deleted,
            deleted_date: entity.deleted_date,
            deletion_reason: entity.deletion_reason,
            hard_delete_date: None,
        }
    }
}

impl From<TrashedEntity> for EntityBody {
    fn from(trashed: TrashedEntity) -> Self {
        Self { hard_delete_date: trashed.hard_delete_date, ..trashed.entity.into() }
    }
}

/// A node of the tree.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NodeBody {
    id: String,
    name: String,
    entity_type: String,
    depth: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_deleted: bool,
    #[schema(no_recursion)]
    children: Vec<NodeBody>,
}

impl From<HierarchyNode> for NodeBody {
    fn from(node: HierarchyNode) -> Self {
        Self {
            id: node.id.as_str().to_owned(),
            name: node.name,
            entity_type: node.entity_type,
            depth: node.depth,
            is_deleted: node.is_deleted,
            children: node.children.into_iter().map(Self::from).collect(),
        }
    }
}

/// The tree of a world.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct HierarchyBody {
    version: u64,
    root: NodeBody,
    #[schema(value_type = String)]
    last_updated: UtcTimestamp,
    total_entities: u64,
    entities_by_type: BTreeMap<String, u64>,
}

impl From<WorldHierarchy> for HierarchyBody {
    fn from(tree: WorldHierarchy) -> Self {
        Self {
            version: tree.version,
            root: tree.root.into(),
            last_updated: tree.last_updated,
            total_entities: tree.total_entities,
            entities_by_type: tree.entities_by_type,
        }
    }
}

/// An operation and its progress.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OperationBody {
    id: String,
    kind: WorldOperationKind,
    status: OperationStatus,
    entity_id: String,
    entity_name: String,
    total: u64,
    done: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[schema(value_type = String)]
    created_date: UtcTimestamp,
    #[schema(value_type = String)]
    modified_date: UtcTimestamp,
}

impl From<WorldOperation> for OperationBody {
    fn from(operation: WorldOperation) -> Self {
        Self {
            id: operation.id,
            kind: operation.kind,
            status: operation.status,
            entity_id: operation.entity_id.as_str().to_owned(),
            entity_name: operation.entity_name,
            total: operation.total,
            done: operation.done,
            error: operation.error,
            created_date: operation.created_date,
            modified_date: operation.modified_date,
        }
    }
}

/// Converts the value of an answer.
pub(super) fn body_of<T, B: From<T>>(
    value: service::charge::ChargedValue<T>,
) -> service::charge::ChargedValue<B> {
    service::charge::ChargedValue::new(value.value.into(), value.charge)
}

/// Converts the values of a list.
pub(super) fn bodies_of<T, B: From<T>>(values: Vec<T>) -> Vec<B> {
    values.into_iter().map(B::from).collect()
}
