//! Registering a device, or refreshing what is known about it.
//!
//! Owns the cap: when a user has as many active devices as are allowed, the one not seen for longest makes room.

use crate::charge::{ChargeMeter, ChargedValue};
use crate::domain::{
    Device, DeviceId, Moment, Platform, PushToken, RevokedReason, TokenOwner, UserId, random_id,
};
use crate::error::{Error, Result};
use crate::notifications::{Notifications, NotificationsCore};
use crate::text::sanitize;

use super::change::DeviceSet;

/// Characters of a label at most.
const LABEL_CHARS_MAX: usize = 100;

/// A device that wants pushes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceRegistration {
    /// The installation.
    pub device_id: DeviceId,
    /// Where pushes go.
    pub push_token: PushToken,
    /// Which provider.
    pub platform: Platform,
    /// What the user calls it; what it was called before when absent.
    pub label: Option<String>,
}

/// What registering did.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisteredDevice {
    /// The device as it is now.
    pub device: Device,
    /// The device that made room.
    pub evicted: Option<Device>,
    /// Whether this installation was unknown.
    pub is_new: bool,
}

impl Notifications {
    /// Registers a device; known, it is refreshed and made active again. Its push token stops working for any other
    /// user who had it.
    ///
    /// # Errors
    /// `Conflict` when too many change the user's devices at once; those of the account.
    pub async fn register_device(
        &self,
        user: &UserId,
        registration: &DeviceRegistration,
    ) -> Result<ChargedValue<RegisteredDevice>> {
        let core = &self.core;
        let mut meter = ChargeMeter::default();
        let DeviceRegistration { device_id, push_token, .. } = registration;
        core.take_token(user, device_id, push_token, &mut meter).await?;
        let new_id = random_id(&core.environment);
        let registered = core
            .change_devices(user, device_id, &mut meter, |devices, now| {
                core.decide(devices, user, registration, &new_id, now)
            })
            .await?;
        if !core.still_owns(user, device_id, push_token, &mut meter).await? {
            let lost = TokenOwner {
                id: push_token.hash_hex(),
                user_id: user.clone(),
                device_id: device_id.clone(),
                since: core.now(),
            };
            core.revoke_moved(&lost, push_token, &mut meter).await?;
            return Err(Error::conflict(
                "another user registered this push token meanwhile; try again",
            ));
        }
        Ok(meter.finish(registered))
    }
}

impl NotificationsCore {
    fn decide(
        &self,
        devices: &mut DeviceSet,
        user: &UserId,
        registration: &DeviceRegistration,
        new_id: &str,
        now: Moment,
    ) -> Result<RegisteredDevice> {
        let known = devices.find(&registration.device_id);
        let was_active = known.and_then(|place| devices.get(place)).is_some_and(Device::is_active);
        let mut evicted = None;
        if !was_active && devices.active() >= self.settings.device_cap {
            let oldest = devices.oldest_active_but(&registration.device_id);
            evicted = oldest.and_then(|place| devices.revoke(place, RevokedReason::Cap, now));
        }
        let label = registration.label.as_deref().map(|label| sanitize(label, LABEL_CHARS_MAX));
        if let Some(place) = known {
            let refreshed = devices.change(place, |device| {
                device.push_token = registration.push_token.clone();
                device.platform = registration.platform;
                device.label = label.unwrap_or_else(|| device.label.clone());
                device.last_seen_at = now;
                device.revoked_at = None;
                device.revoked_reason = None;
            });
            let device =
                refreshed.ok_or_else(|| Error::internal("the device was found a line above"))?;
            return Ok(RegisteredDevice { device, evicted, is_new: false });
        }
        let device = Device {
            id: new_id.to_owned(),
            user_id: user.clone(),
            device_id: registration.device_id.clone(),
            push_token: registration.push_token.clone(),
            platform: registration.platform,
            label: label.unwrap_or_default(),
            created_at: now,
            last_seen_at: now,
            revoked_at: None,
            revoked_reason: None,
        };
        devices.create(device.clone());
        Ok(RegisteredDevice { device, evicted, is_new: true })
    }
}
