//! The guard item of the device cap: every change of a user's devices writes it.
//!
//! Owns its stored form, in `device_tokens`. Two registrations at the same time each add a different device, so neither
//! would notice the other. Both also replace this item with the etag they read: one of them fails, starts over and then
//! sees the device of the other.

use serde::{Deserialize, Serialize};

use super::{UserId, UtcTimestamp};

/// One for each user, in the same logical partition as the devices, so that a transactional batch can write both. It
/// has no `deviceId`, by which queries for devices leave it out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceCap {
    /// Always [`DeviceCap::ID`].
    pub(crate) id: String,
    /// The user of the devices.
    pub(crate) user_id: UserId,
    /// How many devices are active.
    pub(crate) active: usize,
    /// Last change.
    pub(crate) updated_at: UtcTimestamp,
    /// When codes were sent for this user, within the last hour.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) codes_sent: Vec<UtcTimestamp>,
}

impl DeviceCap {
    /// Its item id in the logical partition of the user.
    pub(crate) const ID: &'static str = "device_cap";
}
