//! Revoking a device: it stays known, and gets no more pushes.

use crate::charge::{ChargeMeter, ChargedValue};
use crate::domain::{Device, DeviceId, Moment, PushToken, RevokedReason, UserId};
use crate::error::{Error, Result};
use crate::notifications::{Notifications, NotificationsCore};

impl Notifications {
    /// Revokes a device of a user, who said so. Again, it changes nothing.
    ///
    /// # Errors
    /// `NotFound` when the user has no such device.
    pub async fn revoke_device(
        &self,
        user: &UserId,
        device_id: &DeviceId,
    ) -> Result<ChargedValue<Device>> {
        let mut meter = ChargeMeter::default();
        let revoked = self
            .core
            .change_devices(user, device_id, &mut meter, |devices, now| {
                let place = devices.find(device_id);
                let device = place.and_then(|place| devices.get(place)).cloned();
                match (place, device) {
                    (Some(place), Some(device)) if device.is_active() => devices
                        .revoke(place, RevokedReason::User, now)
                        .ok_or_else(|| Error::internal("the device was found a line above")),
                    (_, Some(device)) => Ok(device),
                    _ => Err(Error::not_found(format!(
                        "there is no device '{}'",
                        device_id.as_str()
                    ))),
                }
            })
            .await?;
        Ok(meter.finish(revoked))
    }
}

impl NotificationsCore {
    /// Revokes a device whose token the provider does not know, unless it was registered again since then.
    pub(crate) async fn revoke_invalid(
        &self,
        user: &UserId,
        device_id: &DeviceId,
        token: &PushToken,
        seen_at: Moment,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        self.change_devices(user, device_id, meter, |devices, now| {
            let place = devices.find(device_id);
            let same = place.and_then(|place| devices.get(place)).is_some_and(|device| {
                device.is_active() && device.push_token == *token && device.last_seen_at <= seen_at
            });
            if let (true, Some(place)) = (same, place) {
                devices.revoke(place, RevokedReason::InvalidToken, now);
            }
            Ok(())
        })
        .await
    }
}
