//! Who a push token belongs to now: one item for each token, found by its hash.
//!
//! Owns the stored form of `push_token_owner`. A phone that changes hands takes its token along; only the last user who
//! registered it is pushed to.

use serde::{Deserialize, Serialize};

use super::{DeviceId, Moment, UserId};

/// The last registration of one push token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TokenOwner {
    /// Hash of the token; also the partition key.
    pub(crate) id: String,
    /// Whose device has it.
    pub(crate) user_id: UserId,
    /// Which device.
    pub(crate) device_id: DeviceId,
    /// Since when.
    pub(crate) since: Moment,
}

impl TokenOwner {
    /// Whether the token belongs to this device of this user.
    pub(crate) fn belongs_to(&self, user: &UserId, device_id: &DeviceId) -> bool {
        self.user_id == *user && self.device_id == *device_id
    }
}
