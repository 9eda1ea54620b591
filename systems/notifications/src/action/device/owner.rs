//! Ownership of push tokens: a token belongs to the last user who registered it.
//!
//! A phone keeps its token when another person signs in; without this the previous user's messages would still appear
//! on it. The owner and the device are in different partitions, so no transaction covers both. Instead the owner is
//! written first, then the device, then the owner is read again. If two users register a token at the same time, the
//! one who is not the owner in the end revokes their own device.

use client::{ErrorKind, Item};

use crate::domain::{DeviceId, PushToken, RevokedReason, TokenOwner, UserId};
use crate::error::Result;
use crate::notifications::NotificationsCore;
use service::charge::ChargeMeter;

/// How often taking a token is tried against other users before it gives up.
const TRIES_MAX: u32 = 50;

impl NotificationsCore {
    /// Makes the user the owner of a token, and revokes the device of the previous owner.
    pub(super) async fn take_token(
        &self,
        user: &UserId,
        device_id: &DeviceId,
        token: &PushToken,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        let id = token.hash_hex();
        let key = id.as_str().into();
        for _ in 0..TRIES_MAX {
            let owner = TokenOwner {
                id: id.clone(),
                user_id: user.clone(),
                device_id: device_id.clone(),
                since: self.now(),
            };
            let written = match self.read_token_owner(token, meter).await? {
                // A device that registers again, which is by far the most frequent call, writes nothing here.
                Some(found) if found.value.belongs_to(user, device_id) => return Ok(()),
                Some(mut found) => {
                    let before = std::mem::replace(&mut found.value, owner);
                    // Before the owner is replaced: after a crash in between, the next registration finds the old owner
                    // and revokes again. The other way round, the old device would keep getting pushes.
                    self.revoke_moved(&before, token, meter).await?;
                    self.containers.token_owners.save(&key, &found).await
                }
                None => self.containers.token_owners.create(&key, &owner).await,
            };
            match written {
                Ok(answer) => {
                    meter.record(answer);
                    return Ok(());
                }
                Err(error)
                    if matches!(
                        error.kind(),
                        // Another user was faster, or the owner was erased meanwhile. Read again.
                        ErrorKind::Precondition | ErrorKind::Conflict | ErrorKind::NotFound
                    ) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(crate::Error::conflict("this push token is registered by too many at once; try again"))
    }

    /// Makes the user the owner of a proved address, unless another user has proved it and still has it.
    pub(super) async fn take_address(
        &self,
        user: &UserId,
        device_id: &DeviceId,
        address: &PushToken,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        let owner = self.read_token_owner(address, meter).await?;
        if let Some(owner) = owner.filter(|owner| owner.value.user_id != *user)
            && self.check_address(&owner.value, address, meter).await?
        {
            return Err(crate::Error::conflict(
                "another user has verified this address; they have to revoke their device first",
            ));
        }
        self.take_token(user, device_id, address, meter).await
    }

    /// Whether the owner of an address has an active and verified device with it.
    async fn check_address(
        &self,
        owner: &TokenOwner,
        address: &PushToken,
        meter: &mut ChargeMeter,
    ) -> Result<bool> {
        self.change_devices(&owner.user_id, &owner.device_id, meter, |devices, _| {
            let device = devices.find(&owner.device_id).and_then(|index| devices.get(index));
            Ok(device.is_some_and(|device| {
                device.is_active() && device.is_verified() && device.push_token == *address
            }))
        })
        .await
    }

    /// Whether the user is still the owner after their device was written.
    pub(super) async fn still_owns(
        &self,
        user: &UserId,
        device_id: &DeviceId,
        token: &PushToken,
        meter: &mut ChargeMeter,
    ) -> Result<bool> {
        let owner = self.read_token_owner(token, meter).await?;
        Ok(owner.is_some_and(|owner| owner.value.belongs_to(user, device_id)))
    }

    async fn read_token_owner(
        &self,
        token: &PushToken,
        meter: &mut ChargeMeter,
    ) -> Result<Option<Item<TokenOwner>>> {
        let id = token.hash_hex();
        match self.containers.token_owners.read(&id.as_str().into(), &id).await {
            Ok(answer) => Ok(Some(meter.record(answer))),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                meter.record_error(&error);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Revokes the owner's device, if it still has the token.
    pub(super) async fn revoke_moved(
        &self,
        owner: &TokenOwner,
        token: &PushToken,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        self.change_devices(&owner.user_id, &owner.device_id, meter, |devices, now| {
            let index = devices.find(&owner.device_id);
            let has_token = index
                .and_then(|index| devices.get(index))
                .is_some_and(|device| device.is_active() && device.push_token == *token);
            if let (true, Some(index)) = (has_token, index) {
                devices.revoke(index, RevokedReason::Moved, now);
            }
            Ok(())
        })
        .await
    }
}
