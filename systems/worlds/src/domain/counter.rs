//! The item that counts the entities of a world, so that the limit holds (WB-X21).
//!
//! The tree knows the number too, but a moment later: parallel creates would overrun the limit.

use serde::{Deserialize, Serialize};

use super::{UtcTimestamp, WorldId};

/// The counter of a world, in the partition of its metadata.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct EntityCounter {
    /// `{world}:counter`.
    #[serde(rename = "id")]
    pub id: String,
    /// The world.
    pub world_id: WorldId,
    /// Entities that are not deleted, and places that creates have reserved; without the World itself.
    pub count: u64,
    /// When it was changed last.
    pub changed_date: UtcTimestamp,
}

impl EntityCounter {
    pub(crate) fn item_id(world: &WorldId) -> String {
        format!("{world}:counter")
    }

    pub(crate) fn new(world: &WorldId, count: u64, now: UtcTimestamp) -> Self {
        Self { id: Self::item_id(world), world_id: world.clone(), count, changed_date: now }
    }
}
