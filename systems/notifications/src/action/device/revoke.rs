//! Revoking a device: it stays stored, and gets no more pushes.

use crate::domain::{Device, DeviceId, PushToken, RevokedReason, UserId, UtcTimestamp};
use crate::error::{Error, Result};
use crate::notifications::{Notifications, NotificationsCore};
use service::charge::{ChargeMeter, ChargedValue};

impl Notifications {
    /// Revokes a device on behalf of its user. Repeated, it changes nothing.
    ///
    /// # Errors
    /// `NotFound` if the user has no such device.
    pub async fn revoke_device(
        &self,
        user: &UserId,
        device_id: &DeviceId,
    ) -> Result<ChargedValue<Device>> {
        let mut meter = ChargeMeter::default();
        let revoked = self
            .core
            .change_devices(user, device_id, &mut meter, |devices, now| {
                let index = devices.find(device_id);
                let device = index.and_then(|index| devices.get(index)).cloned();
                match (index, device) {
                    (Some(index), Some(device)) if device.is_active() => devices
                        .revoke(index, RevokedReason::User, now)
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
    /// Revokes a device whose token the provider refused, unless the device registered after the push was sent: the
    /// refusal is then about the old state.
    pub(crate) async fn revoke_invalid(
        &self,
        user: &UserId,
        device_id: &DeviceId,
        token: &PushToken,
        seen_at: UtcTimestamp,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        self.change_devices(user, device_id, meter, |devices, now| {
            let index = devices.find(device_id);
            let is_unchanged = index.and_then(|index| devices.get(index)).is_some_and(|device| {
                device.is_active() && device.push_token == *token && device.last_seen_at <= seen_at
            });
            if let (true, Some(index)) = (is_unchanged, index) {
                devices.revoke(index, RevokedReason::InvalidToken, now);
            }
            Ok(())
        })
        .await
    }
}
