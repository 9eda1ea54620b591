//! Revoking a device: it stays known, and gets no more pushes.

use crate::charged::{Bill, Charged};
use crate::error::{Error, Result};
use crate::notifications::{Core, Notifications};
use crate::words::{Device, DeviceId, Moment, PushToken, RevokedReason, UserId};

impl Notifications {
    /// Revokes a device of a user, who said so. Again, it changes nothing.
    ///
    /// # Errors
    /// `NotFound` when the user has no such device.
    pub async fn revoke_device(
        &self,
        user: &UserId,
        device_id: &DeviceId,
    ) -> Result<Charged<Device>> {
        let mut bill = Bill::default();
        let revoked = self
            .core
            .change_devices(user, device_id, &mut bill, |devices, now| {
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
        Ok(bill.of(revoked))
    }
}

impl Core {
    /// Revokes a device whose token the provider does not know, unless it was registered again since then.
    pub(crate) async fn revoke_invalid(
        &self,
        user: &UserId,
        device_id: &DeviceId,
        token: &PushToken,
        seen_at: Moment,
        bill: &mut Bill,
    ) -> Result<()> {
        self.change_devices(user, device_id, bill, |devices, now| {
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
