//! Operations: work on many entities that goes on after the request, with progress.
//!
//! Owns what is stored of it. Does not own the work (`reaction/operations`).

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{EntityId, UtcTimestamp, WorldId, WorldUser};

/// How long an operation is listed after its last change.
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// One item of the container `DeleteOperation`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct WorldOperation {
    /// Unique in its world.
    #[serde(rename = "id")]
    pub id: String,
    /// The world.
    pub world_id: WorldId,
    /// What it does.
    pub kind: OperationKind,
    /// The entity it begins at.
    pub entity_id: EntityId,
    /// The name of that entity, for lists.
    pub entity_name: String,
    /// How far it is.
    pub status: OperationStatus,
    /// The cascade that a restore takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Entities to change, as far as known.
    pub total: u64,
    /// Entities changed so far.
    pub done: u64,
    /// What went wrong last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Failed attempts so far.
    #[serde(default)]
    pub attempts: u32,
    /// Who asked for it.
    pub created_by: WorldUser,
    /// When it was asked for.
    pub created_date: UtcTimestamp,
    /// When it was changed last.
    pub modified_date: UtcTimestamp,
    /// The worker that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// Until when no other worker takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leased_until: Option<UtcTimestamp>,
    /// Seconds after which the item is gone.
    #[serde(rename = "ttl")]
    pub ttl: u32,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationKind {
    /// Deletes an entity and everything nested in it.
    Delete,
    /// Restores an entity and everything that was deleted with it.
    Restore,
    /// Gives everything nested in a renamed or moved entity its new path.
    RewritePaths,
}

/// How far an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationStatus {
    /// No worker has begun.
    Pending,
    /// A worker has begun.
    InProgress,
    /// All is done.
    Completed,
    /// It failed after a part was done. It can be retried.
    Partial,
    /// It failed before anything was done. It can be retried.
    Failed,
}

impl WorldOperation {
    pub(crate) fn new(
        id: String,
        kind: OperationKind,
        entity: (&WorldId, &EntityId, &str),
        by: &WorldUser,
        now: UtcTimestamp,
    ) -> Self {
        let (world, entity, name) = entity;
        Self {
            id,
            world_id: world.clone(),
            kind,
            entity_id: entity.clone(),
            entity_name: name.to_owned(),
            status: OperationStatus::Pending,
            source: None,
            total: 0,
            done: 0,
            error: None,
            attempts: 0,
            created_by: by.clone(),
            created_date: now,
            modified_date: now,
            worker: None,
            leased_until: None,
            ttl: u32::try_from(KEPT.as_secs()).unwrap_or(u32::MAX),
        }
    }
}

impl WorldOperation {
    /// Gives it all its attempts again.
    pub(crate) fn reopen(&mut self, now: UtcTimestamp) {
        self.status = OperationStatus::Pending;
        self.attempts = 0;
        self.leased_until = None;
        self.modified_date = now;
    }
}

impl OperationStatus {
    /// Whether it can be retried.
    #[must_use]
    pub fn has_failed(self) -> bool {
        matches!(self, Self::Partial | Self::Failed)
    }

    /// Whether a worker still has to do something.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress)
    }
}
