//! Devices nobody uses: revoked when they were not seen for long, deleted when they were revoked long ago.
//!
//! Owns the job. It may run on any process at any time: etags decide, and a device that comes back meanwhile stays.

use client::{ErrorKind, Item, Query};

use crate::charged::Bill;
use crate::error::Result;
use crate::notifications::{Core, Notifications};
use crate::words::{Device, RevokedReason, TokenOwner};

/// What the job did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cleaned {
    /// Active devices that were not seen for long.
    pub revoked: u64,
    /// Revoked ones that are gone now.
    pub deleted: u64,
    /// Request units.
    pub charge: f64,
}

impl Notifications {
    /// Revokes inactive devices and deletes those revoked long ago, with what is known about their tokens.
    ///
    /// # Errors
    /// Those of the account; calling again goes on.
    pub async fn clean_devices(&self) -> Result<Cleaned> {
        let core = &self.core;
        let before = core.now().before(core.settings.device_age_max());
        let mut bill = Bill::default();
        let mut cleaned = Cleaned::default();
        let inactive = Query::text(
            "SELECT * FROM c WHERE IS_DEFINED(c.deviceId) AND c.lastSeenAt < @before AND \
             (NOT IS_DEFINED(c.revokedAt) OR IS_NULL(c.revokedAt))",
        );
        let inactive =
            inactive.parameter("@before", before).fan_out("devices of all users grow old");
        let inactive: Vec<Device> = bill.take(core.containers.devices.query(&inactive).await?);
        for device in inactive {
            cleaned.revoked += u64::from(core.revoke_inactive(&device, &mut bill).await?);
        }
        let old =
            Query::text("SELECT * FROM c WHERE IS_DEFINED(c.deviceId) AND c.revokedAt < @before");
        let old = old
            .parameter("@before", before)
            .fan_out("revoked devices of all users are kept for a while");
        let old: Vec<Item<Device>> = bill.take(core.containers.devices.query(&old).await?);
        for device in old {
            cleaned.deleted += u64::from(core.delete_device(&device, &mut bill).await?);
        }
        cleaned.charge = bill.0;
        Ok(cleaned)
    }
}

impl Core {
    async fn revoke_inactive(&self, device: &Device, bill: &mut Bill) -> Result<bool> {
        let Device { user_id, device_id, last_seen_at, .. } = device;
        self.change_devices(user_id, device_id, bill, |devices, now| {
            let place = devices.find(device_id);
            let is_same = place
                .and_then(|place| devices.get(place))
                .is_some_and(|found| found.is_active() && found.last_seen_at == *last_seen_at);
            let Some(place) = place.filter(|_| is_same) else { return Ok(false) };
            devices.revoke(place, RevokedReason::Inactive, now);
            Ok(true)
        })
        .await
    }

    async fn delete_device(&self, device: &Item<Device>, bill: &mut Bill) -> Result<bool> {
        self.let_go_of_token(&device.value, bill).await?;
        let key = device.value.user_id.partition_key();
        match self.containers.devices.delete(&key, &device.value.id, device.etag().as_ref()).await {
            Ok(answer) => {
                bill.take(answer);
                Ok(true)
            }
            // Registered again meanwhile, or deleted by another process.
            Err(error) if matches!(error.kind(), ErrorKind::Precondition | ErrorKind::NotFound) => {
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Forgets who has a token, if it is this device.
    pub(crate) async fn let_go_of_token(&self, device: &Device, bill: &mut Bill) -> Result<()> {
        let id = device.push_token.hashed();
        let key = id.as_str().into();
        let owner = match self.containers.token_owners.read::<TokenOwner>(&key, &id).await {
            Ok(answer) => bill.take(answer),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        if owner.value.user_id != device.user_id || owner.value.device_id != device.device_id {
            return Ok(());
        }
        match self.containers.token_owners.delete(&key, &id, owner.etag().as_ref()).await {
            Ok(answer) => {
                bill.take(answer);
                Ok(())
            }
            Err(error) if matches!(error.kind(), ErrorKind::Precondition | ErrorKind::NotFound) => {
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}
