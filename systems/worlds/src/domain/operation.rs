//! Operations: work on many entities that goes on after the request, with progress.
//!
//! Owns what is stored of it. Does not own the work (`reaction/operations`).

use serde::{Deserialize, Serialize};

use super::{EntityId, UtcTimestamp, WorldId, WorldUser};

/// How long an operation is listed after it ended.
const ENDED_TTL_SECONDS: i64 = 24 * 3600;
/// An open operation does not expire: its worker may be away for longer than a day.
const OPEN_TTL: i64 = -1;

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
    pub kind: WorldOperationKind,
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
    /// Seconds after which the item is gone; -1 while there is something to do.
    #[serde(rename = "ttl")]
    pub ttl: i64,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorldOperationKind {
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
        kind: WorldOperationKind,
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
            ttl: OPEN_TTL,
        }
    }
}

impl WorldOperation {
    /// Sets the status, and with it how long the item is kept.
    pub(crate) fn set_status(&mut self, status: OperationStatus) {
        self.status = status;
        self.ttl = if status.is_open() { OPEN_TTL } else { ENDED_TTL_SECONDS };
    }

    /// Gives it all its attempts again.
    pub(crate) fn reopen(&mut self, now: UtcTimestamp) {
        self.set_status(OperationStatus::Pending);
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
