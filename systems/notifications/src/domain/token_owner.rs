//! The owner of a push token: one item for each token, found by its hash.
//!
//! Owns the stored form of `push_token_owner`. When another person signs in on a phone, its token stays the same, and
//! only the last user who registered it may get pushes.

use serde::{Deserialize, Serialize};

use super::{DeviceId, UserId, UtcTimestamp};

/// The last registration of one push token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TokenOwner {
    /// Hash of the token; also the partition key, because the owner is looked up without knowing the user.
    pub(crate) id: String,
    /// The user whose device has it.
    pub(crate) user_id: UserId,
    /// The device that has it.
    pub(crate) device_id: DeviceId,
    /// When that device registered it.
    pub(crate) since: UtcTimestamp,
}

impl TokenOwner {
    /// Whether the token belongs to this device of this user.
    pub(crate) fn belongs_to(&self, user: &UserId, device_id: &DeviceId) -> bool {
        self.user_id == *user && self.device_id == *device_id
    }
}
