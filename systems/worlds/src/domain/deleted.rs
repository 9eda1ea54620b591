//! An entity after the grace period, in the container `DeletedWorldEntity`.

use serde::{Deserialize, Serialize};

use super::{DeletionReason, UtcTimestamp, WorldEntity, WorldId};

/// One item of the container `DeletedWorldEntity`: the entity and how long it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeletedWorldEntity {
    /// The entity as it was in the trash; its reason is that of the move.
    #[serde(flatten)]
    pub entity: WorldEntity,
    /// Why it was deleted before the time for an undo was over.
    #[serde(rename = "DeletedReasonOriginal", skip_serializing_if = "Option::is_none")]
    pub original_reason: Option<DeletionReason>,
    /// When it is gone.
    #[serde(rename = "HardDeleteDate")]
    pub hard_delete_date: UtcTimestamp,
    /// The world in which it was deleted.
    #[serde(rename = "OriginalWorldId", skip_serializing_if = "Option::is_none")]
    pub original_world_id: Option<WorldId>,
    /// Seconds from this write to `HardDeleteDate`.
    pub ttl: u32,
}

impl DeletedWorldEntity {
    /// The item of an entity that is moved now and kept until `hard_delete_date`.
    pub(crate) fn new(
        mut entity: WorldEntity,
        hard_delete_date: UtcTimestamp,
        now: UtcTimestamp,
    ) -> Self {
        let original_reason = entity.deletion_reason;
        entity.deletion_reason = Some(DeletionReason::RetentionExpired);
        let original_world_id = Some(entity.world_id.clone());
        let ttl = service::work::ttl_seconds(hard_delete_date, now);
        Self { entity, original_reason, hard_delete_date, original_world_id, ttl }
    }
}
