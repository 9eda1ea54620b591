//! Pushing to the devices of a user, and what follows from the providers' responses.
//!
//! Owns one attempt for all devices: devices with a final result from an earlier attempt are left out, devices with an
//! invalid token are revoked. Does not own whether to push (`push_plan`).

use std::collections::BTreeMap;
use std::time::Duration;

use crate::delivery::{DeliveryResult, Push};
use crate::domain::{
    Device, Notification, NotificationEvent, Platform, PushRecord, PushState, UtcTimestamp,
};
use crate::error::Result;
use crate::monitor::DispatchStep;
use crate::notifications::NotificationsCore;
use service::charge::ChargeMeter;

/// The results of all pushes of an attempt.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PushSummary {
    /// One for each device, those of earlier attempts included.
    pub(super) records: Vec<PushRecord>,
    /// Why at least one push has to be tried again.
    pub(super) retry_error: Option<String>,
    /// The longest wait that a provider asked for.
    pub(super) retry_after: Option<Duration>,
}

impl PushSummary {
    /// Whether at least one device got it.
    pub(super) fn is_delivered(&self) -> bool {
        self.records.iter().any(|record| record.result == PushState::Delivered)
    }
}

impl NotificationsCore {
    /// Pushes a notification to each device that has no final result yet.
    pub(super) async fn push_to_devices(
        &self,
        event: &NotificationEvent,
        notification: &Notification,
        devices: &[Device],
        meter: &mut ChargeMeter,
    ) -> Result<PushSummary> {
        // Taken before the first push: a device that registers again while pushes are under way must not be revoked
        // for its old token.
        let started_at = self.now();
        let push = self.build_push(event, notification, devices, meter).await?;
        let mut summary = PushSummary { records: event.deliveries.clone(), ..Default::default() };
        // Results to be retried are dropped here; the loop below records them anew.
        summary.records.retain(|record| record.result.is_final());
        for device in devices {
            if summary.records.iter().any(|record| record.device_id == device.device_id) {
                continue;
            }
            let result = if self.delivery.is_configured(device.platform) {
                self.delivery.push(device, &push).await
            } else {
                DeliveryResult::NotConfigured
            };
            self.report_step(DispatchStep::DevicePushed);
            self.record_result(&mut summary, device, result, started_at, meter).await?;
        }
        self.report_step(DispatchStep::AllPushed);
        Ok(summary)
    }

    async fn build_push(
        &self,
        event: &NotificationEvent,
        notification: &Notification,
        devices: &[Device],
        meter: &mut ChargeMeter,
    ) -> Result<Push> {
        // Only APNs sets the badge of an app's icon from a number in the push, so other devices do not cost a count.
        let badge = if devices.iter().any(|device| device.platform == Platform::Apns) {
            let unread = self.count_unread(&notification.user_id, meter).await?;
            Some(u32::try_from(unread).unwrap_or(u32::MAX))
        } else {
            None
        };
        Ok(Push {
            notification_id: notification.id.clone(),
            // The id of the notification: a repetition replaces the first copy on the device instead of appearing
            // beside it.
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

    async fn record_result(
        &self,
        summary: &mut PushSummary,
        device: &Device,
        result: DeliveryResult,
        started_at: UtcTimestamp,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        let (state, provider_id, error) = match result {
            DeliveryResult::Delivered { provider_id } => {
                (PushState::Delivered, Some(provider_id), None)
            }
            DeliveryResult::NotConfigured => (PushState::NotConfigured, None, None),
            DeliveryResult::InvalidToken => {
                let Device { user_id, device_id, push_token, .. } = device;
                self.revoke_invalid(user_id, device_id, push_token, started_at, meter).await?;
                (PushState::InvalidToken, None, None)
            }
            DeliveryResult::Retry { after, reason } => {
                // The longest of all: earlier, at least one provider would refuse again.
                summary.retry_after = summary.retry_after.max(after);
                (PushState::Retry, None, Some(reason))
            }
            DeliveryResult::Permanent { reason } => (PushState::Permanent, None, Some(reason)),
            // Tried again like any failure: the operator may have fixed the settings by then.
            DeliveryResult::Alarm { reason } => {
                let user = device.user_id.hash_hex();
                tracing::error!(user, reason, "pushes need an operator");
                (PushState::Retry, None, Some(reason))
            }
        };
        let error = error.map(|error| mask_token(&error, device));
        if state == PushState::Retry {
            summary.retry_error = error.clone();
        }
        let device_id = device.device_id.clone();
        summary.records.push(PushRecord { device_id, result: state, provider_id, error });
        Ok(())
    }
}

/// Errors are stored and shown to operators, and a provider may have repeated the token in one.
fn mask_token(text: &str, device: &Device) -> String {
    text.replace(device.push_token.secret(), &device.push_token.masked())
}
