//! The daily job for unused devices: revokes those not seen for a long time, deletes those revoked a long time ago.
//!
//! Any process may run it at any time. Writes carry the etag that was read, so a device that registers again meanwhile
//! stays.

use client::{ErrorKind, Item, Query};

use crate::domain::{Device, RevokedReason, TokenOwner};
use crate::error::Result;
use crate::notifications::{Notifications, NotificationsCore};
use service::charge::ChargeMeter;

/// What a run of the job did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceCleanup {
    /// Active devices that were revoked because they were not seen for long.
    pub revoked: u64,
    /// Revoked devices that were deleted.
    pub deleted: u64,
    /// Request units.
    pub charge: f64,
}

impl Notifications {
    /// Revokes inactive devices and deletes those revoked long ago, together with the owners of their push tokens.
    ///
    /// # Errors
    /// Those of the account; another call continues.
    pub async fn clean_devices(&self) -> Result<DeviceCleanup> {
        let core = &self.core;
        let before = core.now().before(core.settings.device_age_max());
        let mut meter = ChargeMeter::default();
        let mut cleanup = DeviceCleanup::default();
        let inactive = Query::text(
            "SELECT * FROM c WHERE IS_DEFINED(c.deviceId) AND c.lastSeenAt < @before AND \
             (NOT IS_DEFINED(c.revokedAt) OR IS_NULL(c.revokedAt))",
        );
        let inactive =
            inactive.parameter("@before", before).fan_out("devices of all users grow old");
        let inactive: Vec<Device> = meter.record(core.containers.devices.query(&inactive).await?);
        // One by one: each goes through the guard of its user, as every change of devices does.
        for device in inactive {
            cleanup.revoked += u64::from(core.revoke_inactive(&device, &mut meter).await?);
        }
        let old =
            Query::text("SELECT * FROM c WHERE IS_DEFINED(c.deviceId) AND c.revokedAt < @before");
        let old = old
            .parameter("@before", before)
            .fan_out("revoked devices of all users are kept for a while");
        let old: Vec<Item<Device>> = meter.record(core.containers.devices.query(&old).await?);
        for device in old {
            cleanup.deleted += u64::from(core.delete_device(&device, &mut meter).await?);
        }
        cleanup.charge = meter.total();
        Ok(cleanup)
    }
}

impl NotificationsCore {
    /// Returns whether it was revoked.
    async fn revoke_inactive(&self, device: &Device, meter: &mut ChargeMeter) -> Result<bool> {
        let Device { user_id, device_id, last_seen_at, .. } = device;
        self.change_devices(user_id, device_id, meter, |devices, now| {
            let index = devices.find(device_id);
            // The query may be old by now: a device seen since then stays active.
            let is_unchanged = index
                .and_then(|index| devices.get(index))
                .is_some_and(|found| found.is_active() && found.last_seen_at == *last_seen_at);
            let Some(index) = index.filter(|_| is_unchanged) else { return Ok(false) };
            devices.revoke(index, RevokedReason::Inactive, now);
            Ok(true)
        })
        .await
    }

    /// Returns whether it was deleted.
    async fn delete_device(&self, device: &Item<Device>, meter: &mut ChargeMeter) -> Result<bool> {
        // The owner first: if the process crashes in between, the device is found again by the next run. The other way
        // round, the owner of the token would stay for ever.
        self.release_token(&device.value, meter).await?;
        let key = device.value.user_id.partition_key();
        match self.containers.devices.delete(&key, &device.value.id, device.etag().as_ref()).await {
            Ok(response) => {
                meter.record(response);
                Ok(true)
            }
            // Registered again meanwhile, or deleted by another process.
            Err(error) if matches!(error.kind(), ErrorKind::Precondition | ErrorKind::NotFound) => {
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes the owner of a device's push token, if that is this device.
    async fn release_token(&self, device: &Device, meter: &mut ChargeMeter) -> Result<()> {
        let id = device.push_token.hash_hex();
        let key = id.as_str().into();
        let owner = match self.containers.token_owners.read::<TokenOwner>(&key, &id).await {
            Ok(response) => meter.record(response),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        if !owner.value.belongs_to(&device.user_id, &device.device_id) {
            return Ok(());
        }
        match self.containers.token_owners.delete(&key, &id, owner.etag().as_ref()).await {
            Ok(response) => {
                meter.record(response);
                Ok(())
            }
            // Somebody registered the token meanwhile, or another process deleted the owner.
            Err(error) if matches!(error.kind(), ErrorKind::Precondition | ErrorKind::NotFound) => {
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}
