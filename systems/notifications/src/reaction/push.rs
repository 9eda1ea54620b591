//! Pushing to the devices of a user, and what follows from the providers' answers.
//!
//! Owns one attempt for all devices: those that were done in an earlier attempt are left alone, invalid ones are
//! revoked. Does not own whether to push (`plan`).

use std::collections::BTreeMap;
use std::time::Duration;

use crate::charged::Bill;
use crate::delivery::{Push, PushResult};
use crate::error::Result;
use crate::notifications::Core;
use crate::words::{Device, Event, Moment, Notification, Platform, PushRecord, PushState};

use super::step::Step;

/// What all pushes of an attempt came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pushed {
    /// One for each device, those of earlier attempts included.
    pub(super) records: Vec<PushRecord>,
    /// What was said by providers that may take it later.
    pub(super) retry: Option<String>,
    /// Not before this.
    pub(super) after: Option<Duration>,
}

impl Pushed {
    /// Whether one device got it.
    pub(super) fn is_delivered(&self) -> bool {
        self.records.iter().any(|record| record.result == PushState::Delivered)
    }
}

impl Core {
    /// Pushes a notification to each device that has no final answer yet.
    pub(super) async fn push_to(
        &self,
        event: &Event,
        notification: &Notification,
        devices: &[Device],
        bill: &mut Bill,
    ) -> Result<Pushed> {
        let started = self.now();
        let push = self.push_of(event, notification, devices, bill).await?;
        let mut pushed = Pushed { records: event.deliveries.clone(), ..Pushed::default() };
        pushed.records.retain(|record| record.result.is_final());
        for device in devices {
            if pushed.records.iter().any(|record| record.device_id == device.device_id) {
                continue;
            }
            let result = if self.delivery.is_configured(device.platform) {
                self.delivery.push(device, &push).await
            } else {
                PushResult::NotConfigured
            };
            self.reached(Step::PushedOne);
            self.take_result(&mut pushed, device, result, started, bill).await?;
        }
        self.reached(Step::Pushed);
        Ok(pushed)
    }

    async fn push_of(
        &self,
        event: &Event,
        notification: &Notification,
        devices: &[Device],
        bill: &mut Bill,
    ) -> Result<Push> {
        // Only one platform shows a number at the icon that it is told.
        let badge = if devices.iter().any(|device| device.platform == Platform::Apns) {
            let unread = self.count_unread(&notification.user_id, bill).await?;
            Some(u32::try_from(unread).unwrap_or(u32::MAX))
        } else {
            None
        };
        Ok(Push {
            notification_id: notification.id.clone(),
            collapse_id: notification.id.clone(),
            title: notification.title.clone(),
            body: notification.body.clone(),
            deeplink: notification.deeplink.clone(),
            category: notification.category,
            badge,
            data: BTreeMap::from([
                ("eventType".to_owned(), event.event_type.name().to_owned()),
                ("category".to_owned(), event.category.name().to_owned()),
            ]),
        })
    }

    async fn take_result(
        &self,
        pushed: &mut Pushed,
        device: &Device,
        result: PushResult,
        started: Moment,
        bill: &mut Bill,
    ) -> Result<()> {
        let (state, provider_id, error) = match result {
            PushResult::Delivered { provider_id } => {
                self.health.pushed();
                (PushState::Delivered, Some(provider_id), None)
            }
            PushResult::NotConfigured => (PushState::NotConfigured, None, None),
            PushResult::InvalidToken => {
                let Device { user_id, device_id, push_token, .. } = device;
                self.revoke_invalid(user_id, device_id, push_token, started, bill).await?;
                (PushState::InvalidToken, None, None)
            }
            PushResult::Retry { after, reason } => {
                pushed.after = pushed.after.max(after);
                (PushState::Retry, None, Some(reason))
            }
            PushResult::Permanent { reason } => (PushState::Permanent, None, Some(reason)),
            PushResult::Alarm { reason } => {
                tracing::error!(user = device.user_id.hashed(), reason, "pushes need an operator");
                (PushState::Retry, None, Some(reason))
            }
        };
        let error = error.map(|error| without_token(&error, device));
        if state == PushState::Retry {
            pushed.retry = error.clone();
        }
        let device_id = device.device_id.clone();
        pushed.records.push(PushRecord { device_id, result: state, provider_id, error });
        Ok(())
    }
}

/// What a provider said, without the token in case it repeated it.
fn without_token(text: &str, device: &Device) -> String {
    text.replace(device.push_token.secret(), &device.push_token.masked())
}
