//! The item that every change of a user's devices goes through.
//!
//! Owns the stored form of the guard in `device_tokens`. Two registrations at the same time both want to write it with
//! the etag they read, so one of them starts over and sees the other's device: the cap holds.

use serde::{Deserialize, Serialize};

use super::{Moment, UserId};

/// One for each user, beside the devices. It has no `deviceId`, so queries for devices do not find it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceCap {
    /// Always [`DeviceCap::ID`].
    pub(crate) id: String,
    /// Whose devices.
    pub(crate) user_id: UserId,
    /// How many are active.
    pub(crate) active: usize,
    /// Last change.
    pub(crate) updated_at: Moment,
}

impl DeviceCap {
    /// Its item id in the logical partition of the user.
    pub(crate) const ID: &'static str = "device_cap";
}
