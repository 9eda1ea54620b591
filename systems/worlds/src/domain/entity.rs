//! An entity as it is stored: the World itself and everything nested in it.
//!
//! Owns the property names of the seed. Does not own the rules of their values (`draft`, `entity_type`,
//! `property_schema`).

use client::PartitionKey;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{EntityId, UtcTimestamp, WorldId, WorldUser};

/// The name of the type of root entities.
pub(crate) const WORLD_TYPE: &str = "World";

/// One item of the container `WorldEntity`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct WorldEntity {
    /// Unique.
    #[serde(rename = "id")]
    pub id: EntityId,
    /// The world it belongs to.
    pub world_id: WorldId,
    /// The entity it is nested in; null for the World only.
    pub parent_id: Option<EntityId>,
    /// The name of its type.
    pub entity_type: String,
    /// The property schema that validates its properties.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_id: Option<String>,
    /// The names from the World to itself.
    #[serde(default)]
    pub path: Vec<String>,
    /// The ids from the World to its parent, in the order of `path`.
    #[serde(default)]
    pub ancestor_ids: Vec<EntityId>,
    /// Zero for the World.
    pub depth: u32,
    /// What people call it.
    pub name: String,
    /// Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Who owns it: the owner of the world.
    pub owner_id: WorldUser,
    /// Who created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<WorldUser>,
    /// Who changed it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_by: Option<WorldUser>,
    /// When it was created.
    pub created_date: UtcTimestamp,
    /// When it was changed last.
    pub modified_date: UtcTimestamp,
    /// Whether it is in the trash.
    #[serde(default)]
    pub is_deleted: bool,
    /// When it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_date: Option<UtcTimestamp>,
    /// Who deleted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_by: Option<WorldUser>,
    /// Why it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_reason: Option<DeletionReason>,
    /// The cascade that deleted it, so that all of it can be restored together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete_operation_id: Option<String>,
    /// Properties of any rules system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<Map<String, Value>>,
    /// Properties of one rules system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_properties: Option<Map<String, Value>>,
    /// The asset shown as its icon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon_asset_id: Option<String>,
    /// The version of its property bags; 1 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<u32>,
}

/// Why an entity was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeletionReason {
    /// Somebody deleted it.
    UserDeleted,
    /// Somebody deleted an entity that it is nested in.
    CascadeDelete,
    /// Somebody purged it.
    Purge,
    /// It was deleted, and the time for an undo is over.
    RetentionExpired,
}

impl WorldEntity {
    /// Its full partition key.
    #[must_use]
    pub fn partition_key(&self) -> PartitionKey {
        self.world_id.entity_key(&self.id)
    }

    /// Whether it is the root of its world.
    #[must_use]
    pub fn is_world(&self) -> bool {
        self.parent_id.is_none()
    }

    /// Puts it under a parent: everything that follows from the parent.
    pub(crate) fn attach_to(&mut self, parent: &Self) {
        self.parent_id = Some(parent.id.clone());
        self.depth = parent.depth + 1;
        self.path = parent.path.iter().cloned().chain([self.name.clone()]).collect();
        self.ancestor_ids =
            parent.ancestor_ids.iter().cloned().chain([parent.id.clone()]).collect();
    }

    /// Gives it another name, which is also the end of its path.
    pub(crate) fn rename(&mut self, name: String) {
        if let Some(last) = self.path.last_mut() {
            last.clone_from(&name);
        }
        self.name = name;
    }

    pub(crate) fn mark_changed(&mut self, by: &WorldUser, now: UtcTimestamp) {
        self.modified_by = Some(by.clone());
        self.modified_date = now;
    }

    pub(crate) fn mark_deleted(
        &mut self,
        by: &WorldUser,
        now: UtcTimestamp,
        reason: DeletionReason,
        operation: Option<&str>,
    ) {
        self.is_deleted = true;
        self.deleted_date = Some(now);
        self.deleted_by = Some(by.clone());
        self.deletion_reason = Some(reason);
        self.delete_operation_id = operation.map(str::to_owned);
        self.mark_changed(by, now);
    }

    pub(crate) fn mark_restored(&mut self, by: &WorldUser, now: UtcTimestamp) {
        self.is_deleted = false;
        self.deleted_date = None;
        self.deleted_by = None;
        self.deletion_reason = None;
        self.delete_operation_id = None;
        self.mark_changed(by, now);
    }
}
