//! Registering a mail address or a webhook, which must be proved to belong to the user.
//!
//! Anybody can type an address, so nothing is pushed to one before its receiver has repeated a code: a person from a
//! mail, a program from a challenge. Only then the user becomes its owner, and an address that a user has proved cannot
//! be taken away by another one. The push token of a phone needs none of this: only the app on it knows the token.

use crate::delivery::VerificationResult;
use crate::domain::{
    CodeCheck, Device, DeviceId, PendingVerification, TokenOwner, UserId, VerificationCode,
    random_id,
};
use crate::error::{Error, InvalidField, Result};
use crate::notifications::{Notifications, NotificationsCore};
use service::charge::{ChargeMeter, ChargedValue};

use super::register::{DeviceRegistration, RegisteredDevice};

/// The result of comparing a code with the stored one.
enum VerificationStep {
    Done(Device),
    Proved(Device),
    Wrong,
    Expired,
}

impl Notifications {
    /// Verifies the address of a device by the code that was sent to it. Repeated, it changes nothing.
    ///
    /// # Errors
    /// `NotFound` without such a device, `Invalid` for a wrong or expired code, `Conflict` if another user has verified
    /// the address.
    pub async fn verify_device(
        &self,
        user: &UserId,
        device_id: &DeviceId,
        code: &str,
    ) -> Result<ChargedValue<Device>> {
        let mut meter = ChargeMeter::default();
        let code = VerificationCode::given(code);
        let step = self.core.check_code(user, device_id, &code, &mut meter).await?;
        let device = match step {
            VerificationStep::Done(device) => device,
            VerificationStep::Proved(device) => {
                self.core.finish_verification(&device, &mut meter).await?
            }
            VerificationStep::Wrong => {
                return Err(invalid("code", "is not the code that was sent to the address"));
            }
            VerificationStep::Expired => {
                let why = "has expired or was wrong too often; register the device again";
                return Err(invalid("code", why));
            }
        };
        Ok(meter.finish(device))
    }
}

impl NotificationsCore {
    /// Registers a device whose address must be proved.
    pub(super) async fn register_address(
        &self,
        user: &UserId,
        registration: &DeviceRegistration,
        mut meter: ChargeMeter,
    ) -> Result<ChargedValue<RegisteredDevice>> {
        let DeviceRegistration { device_id, push_token, platform, .. } = registration;
        let checked = self.delivery.check_address(*platform, push_token).await;
        checked.map_err(|why| invalid("pushToken", &why))?;
        let code = VerificationCode::random(&self.environment, *platform);
        let new_id = random_id(&self.environment);
        // Stored before it is sent: the receiver may be faster than our second write.
        let mut registered = self
            .change_devices(user, device_id, &mut meter, |devices, now| {
                let pending = |id: &str| Some(PendingVerification::new(&code, id, now));
                self.apply_registration(devices, user, registration, &new_id, now, &pending)
            })
            .await?;
        if registered.device.is_verified() {
            return Ok(meter.finish(registered));
        }
        match self.delivery.verify(&registered.device, &code).await {
            VerificationResult::Proved => {
                registered.device =
                    self.finish_verification(&registered.device, &mut meter).await?;
            }
            // Without a provider nothing can be sent yet; registering again sends a code once there is one.
            VerificationResult::Sent | VerificationResult::NotConfigured => {}
            VerificationResult::Failed { reason } => return Err(invalid("pushToken", &reason)),
        }
        Ok(meter.finish(registered))
    }

    async fn check_code(
        &self,
        user: &UserId,
        device_id: &DeviceId,
        code: &VerificationCode,
        meter: &mut ChargeMeter,
    ) -> Result<VerificationStep> {
        self.change_devices(user, device_id, meter, |devices, now| {
            let index = devices.find(device_id);
            let device = index.and_then(|index| devices.get(index)).cloned();
            let (Some(index), Some(device)) = (index, device.filter(Device::is_active)) else {
                let id = device_id.as_str();
                return Err(Error::not_found(format!("there is no active device '{id}'")));
            };
            let Some(pending) = &device.verification else {
                return Ok(VerificationStep::Done(device));
            };
            Ok(match pending.check(code, &device.id, now) {
                CodeCheck::Right => VerificationStep::Proved(device),
                CodeCheck::Expired => VerificationStep::Expired,
                CodeCheck::Wrong => {
                    // Committed before the caller learns that it was wrong, so that tries cannot be made in parallel.
                    devices.change(index, |device| {
                        if let Some(pending) = &mut device.verification {
                            pending.count_wrong_try();
                        }
                    });
                    VerificationStep::Wrong
                }
            })
        })
        .await
    }

    /// Makes the user the owner of a proved address and activates the device.
    async fn finish_verification(
        &self,
        proved: &Device,
        meter: &mut ChargeMeter,
    ) -> Result<Device> {
        let Device { user_id, device_id, push_token, .. } = proved;
        self.take_address(user_id, device_id, push_token, meter).await?;
        let device = self
            .change_devices(user_id, device_id, meter, |devices, _| {
                let index = devices.find(device_id);
                // Registered again with another address meanwhile: that one has its own code.
                let same = index.filter(|index| {
                    let device = devices.get(*index);
                    device.is_some_and(|device| {
                        device.is_active() && device.push_token == *push_token
                    })
                });
                let changed = same
                    .and_then(|index| devices.change(index, |device| device.verification = None));
                changed
                    .ok_or_else(|| Error::conflict("the device was changed meanwhile; try again"))
            })
            .await?;
        // Another user may have become the owner between the two writes; see `owner`.
        if !self.still_owns(user_id, device_id, push_token, meter).await? {
            let lost = TokenOwner {
                id: push_token.hash_hex(),
                user_id: user_id.clone(),
                device_id: device_id.clone(),
                since: self.now(),
            };
            self.revoke_moved(&lost, push_token, meter).await?;
            return Err(Error::conflict("another user verified this address meanwhile"));
        }
        Ok(device)
    }
}

fn invalid(field: &str, why: &str) -> Error {
    Error::with_invalid_fields("the device", vec![InvalidField::new(field, why)])
}
