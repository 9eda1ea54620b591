//! A push token belongs to one user: the last who registered it.
//!
//! Owns taking a token over. A phone that changes hands keeps its token; without this the former user's messages would
//! go on appearing on it. The owner is written first, then the device, then the owner is read again: of two users who
//! register at the same time, the one who is not the owner in the end takes their device back.

use client::{ErrorKind, Item};

use crate::charge::ChargeMeter;
use crate::domain::{DeviceId, PushToken, RevokedReason, TokenOwner, UserId};
use crate::error::Result;
use crate::notifications::NotificationsCore;

/// Rounds until taking a token gives up: users who fight for one phone.
const ROUNDS_MAX: u32 = 50;

impl NotificationsCore {
    /// Makes the user the owner of a token, and revokes the device of whoever was it before.
    pub(super) async fn take_token(
        &self,
        user: &UserId,
        device_id: &DeviceId,
        token: &PushToken,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        let id = token.hash_hex();
        let key = id.as_str().into();
        for _ in 0..ROUNDS_MAX {
            let owner = TokenOwner {
                id: id.clone(),
                user_id: user.clone(),
                device_id: device_id.clone(),
                since: self.now(),
            };
            let written = match self.token_owner(token, meter).await? {
                Some(found) if found.value.belongs_to(user, device_id) => return Ok(()),
                Some(mut found) => {
                    let before = std::mem::replace(&mut found.value, owner);
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
                        ErrorKind::Precondition | ErrorKind::Conflict | ErrorKind::NotFound
                    ) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(crate::Error::conflict("this push token is registered by too many at once; try again"))
    }

    /// Whether the user is still the owner, after their device was written.
    pub(super) async fn still_owns(
        &self,
        user: &UserId,
        device_id: &DeviceId,
        token: &PushToken,
        meter: &mut ChargeMeter,
    ) -> Result<bool> {
        let owner = self.token_owner(token, meter).await?;
        Ok(owner.is_some_and(|owner| owner.value.belongs_to(user, device_id)))
    }

    async fn token_owner(
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

    /// Revokes the device that had the token, if it still has it.
    pub(super) async fn revoke_moved(
        &self,
        owner: &TokenOwner,
        token: &PushToken,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        self.change_devices(&owner.user_id, &owner.device_id, meter, |devices, now| {
            let place = devices.find(&owner.device_id);
            let has_it = place
                .and_then(|place| devices.get(place))
                .is_some_and(|device| device.is_active() && device.push_token == *token);
            if let (true, Some(place)) = (has_it, place) {
                devices.revoke(place, RevokedReason::Moved, now);
            }
            Ok(())
        })
        .await
    }
}
