//! Registering a device, or refreshing a known one.
//!
//! Owns the device cap: if a user has as many active devices as allowed, the one not seen for the longest time is
//! revoked.

use crate::domain::{
    Device, DeviceId, PendingVerification, Platform, PushToken, RevokedReason, TokenOwner, UserId,
    UtcTimestamp, random_id,
};
use crate::error::{Error, Result};
use crate::notifications::{Notifications, NotificationsCore};
use crate::text::sanitize;
use service::charge::{ChargeMeter, ChargedValue};

use super::change::DeviceSet;

/// The longest label, in characters.
const LABEL_CHARS_MAX: usize = 100;

/// A device to register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceRegistration {
    /// Id of the installation, made by the client.
    pub device_id: DeviceId,
    /// The address of the device at its provider.
    pub push_token: PushToken,
    /// The provider.
    pub platform: Platform,
    /// A name for users; the present one stays when absent.
    pub label: Option<String>,
}

/// The result of a registration.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisteredDevice {
    /// The registered device.
    pub device: Device,
    /// The device that was revoked because of the cap.
    pub evicted: Option<Device>,
    /// Whether the device was not known before.
    pub is_new: bool,
}

impl Notifications {
    /// Registers a device. A known one is refreshed and becomes active again. The push token of a phone is taken away
    /// from any other user who had it. A mail address or webhook gets no pushes until it is verified: a webhook by
    /// repeating a challenge at once, an address by [`Notifications::verify_device`] with the code that it was sent.
    ///
    /// # Errors
    /// `Conflict` if too many change the user's devices at once, or if another user has verified the address; `Invalid`
    /// for an address that cannot be used; those of the account.
    pub async fn register_device(
        &self,
        user: &UserId,
        registration: &DeviceRegistration,
    ) -> Result<ChargedValue<RegisteredDevice>> {
        let core = &self.core;
        let mut meter = ChargeMeter::default();
        if registration.platform.needs_verification() {
            return core.register_address(user, registration, meter).await;
        }
        let DeviceRegistration { device_id, push_token, .. } = registration;
        core.take_token(user, device_id, push_token, &mut meter).await?;
        // Made once, outside of the loop: a batch whose response was lost and that runs again must not create a second
        // device.
        let new_id = random_id(&core.environment);
        let registered = core
            .change_devices(user, device_id, &mut meter, |devices, now| {
                core.apply_registration(devices, user, registration, &new_id, now, &|_| None)
            })
            .await?;
        // Another user may have taken the token between the two writes; see `owner`.
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
    /// Applies a registration. `pending` makes the verification of a device by its item id, if it needs one.
    pub(super) fn apply_registration(
        &self,
        devices: &mut DeviceSet,
        user: &UserId,
        registration: &DeviceRegistration,
        new_id: &str,
        now: UtcTimestamp,
        pending: &dyn Fn(&str) -> Option<PendingVerification>,
    ) -> Result<RegisteredDevice> {
        let known = devices.find(&registration.device_id);
        let was_active = known.and_then(|index| devices.get(index)).is_some_and(Device::is_active);
        let mut evicted = None;
        // A device that is active already takes no further place.
        if !was_active && devices.active() >= self.settings.device_cap {
            let oldest = devices.oldest_active_except(&registration.device_id);
            evicted = oldest.and_then(|index| devices.revoke(index, RevokedReason::Cap, now));
        }
        let label = registration.label.as_deref().map(|label| sanitize(label, LABEL_CHARS_MAX));
        let is_proved = known.and_then(|index| devices.get(index)).is_some_and(|device| {
            // A revoked device gave its address up; another user may have it now.
            let is_same = device.push_token == registration.push_token
                && device.platform == registration.platform;
            is_same && device.is_verified() && device.is_active()
        });
        let verification = |id: &str| if is_proved { None } else { pending(id) };
        if verification("").is_some() {
            devices.count_code(now)?;
        }
        if let Some(index) = known {
            let refreshed = devices.change(index, |device| {
                device.push_token = registration.push_token.clone();
                device.platform = registration.platform;
                device.label = label.unwrap_or_else(|| device.label.clone());
                device.last_seen_at = now;
                device.revoked_at = None;
                device.revoked_reason = None;
                device.verification = verification(&device.id);
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
            verification: verification(new_id),
        };
        devices.create(device.clone());
        Ok(RegisteredDevice { device, evicted, is_new: true })
    }
}
