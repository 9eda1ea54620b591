//! Whether an event is pushed, and to which devices.
//!
//! Owns the order of quiet hours, devices and rate limits: what needs no request comes first, so during quiet hours no
//! devices are read. Does not count earlier pushes (`dedupe`), and does not push (`push`).

use client::Query;

use crate::domain::{Device, NoPushReason, NotificationEvent, Preferences, UtcTimestamp};
use crate::error::Result;
use crate::notifications::NotificationsCore;
use crate::settings::QuietMode;
use service::charge::ChargeMeter;

/// What is to be done about the push of an event.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PushPlan {
    /// Push to these devices.
    Push(Vec<Device>),
    /// Push at the end of the quiet hours.
    Defer(UtcTimestamp),
    /// Do not push. The devices are those that have no configured provider.
    Skip(NoPushReason, Vec<Device>),
}

impl NotificationsCore {
    /// The end of the user's quiet hours, if pushes of this event have to respect them now.
    pub(super) fn quiet_hours_end(
        &self,
        event: &NotificationEvent,
        preferences: &Preferences,
        now: UtcTimestamp,
    ) -> Option<UtcTimestamp> {
        // Safety and security wake people up.
        if event.category.is_critical() { None } else { preferences.quiet_hours_end(now) }
    }

    pub(super) async fn plan_push(
        &self,
        event: &NotificationEvent,
        quiet_until: Option<UtcTimestamp>,
        is_rate_limited: bool,
        meter: &mut ChargeMeter,
    ) -> Result<PushPlan> {
        match (quiet_until, self.settings.quiet_mode) {
            (Some(until), QuietMode::Defer) => return Ok(PushPlan::Defer(until)),
            (Some(_), QuietMode::Suppress) => {
                return Ok(PushPlan::Skip(NoPushReason::QuietHours, Vec::new()));
            }
            (None, _) => {}
        }
        let mut devices = self.read_active_devices(event, meter).await?;
        // Filtered here and not in the query: the devices are few, and the query is served by one index.
        devices.retain(Device::is_verified);
        if devices.is_empty() {
            return Ok(PushPlan::Skip(NoPushReason::NoDevice, devices));
        }
        if !devices.iter().any(|device| self.delivery.is_configured(device.platform)) {
            return Ok(PushPlan::Skip(NoPushReason::NotConfigured, devices));
        }
        // Last, so that RATE_LIMITED means that a push would have been sent otherwise.
        if is_rate_limited {
            return Ok(PushPlan::Skip(NoPushReason::RateLimited, Vec::new()));
        }
        Ok(PushPlan::Push(devices))
    }

    pub(super) async fn read_active_devices(
        &self,
        event: &NotificationEvent,
        meter: &mut ChargeMeter,
    ) -> Result<Vec<Device>> {
        let query = Query::text(
            "SELECT * FROM c WHERE IS_DEFINED(c.deviceId) AND \
             (NOT IS_DEFINED(c.revokedAt) OR IS_NULL(c.revokedAt)) ORDER BY c.lastSeenAt DESC",
        );
        let response = self.containers.devices.query(&query.within(event.partition_key())).await?;
        Ok(meter.record(response))
    }
}
