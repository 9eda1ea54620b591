//! Whether an event is pushed, and to which devices.
//!
//! Owns quiet hours, limits and the choice of devices, in the order that asks least of the data: what is quiet needs no
//! devices. Does not count what was pushed (`earlier`), and does not push.

use client::Query;

use crate::charged::Bill;
use crate::error::Result;
use crate::notifications::Core;
use crate::settings::QuietMode;
use crate::words::{Device, Event, Moment, Preferences, Reason};

/// What is to be done about a push.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Plan {
    /// Push to these devices; never none.
    Push(Vec<Device>),
    /// Push at the end of the quiet hours.
    Defer(Moment),
    /// Do not push. The devices are those that would have been pushed to.
    Leave(Reason, Vec<Device>),
}

impl Core {
    /// Until when pushes of the event are to wait or be left out; none when they may come now.
    pub(super) fn quiet_until(
        &self,
        event: &Event,
        preferences: &Preferences,
        now: Moment,
    ) -> Option<Moment> {
        if event.category.is_critical() { None } else { preferences.quiet_until(now) }
    }

    pub(super) async fn plan_push(
        &self,
        event: &Event,
        quiet_until: Option<Moment>,
        is_limited: bool,
        bill: &mut Bill,
    ) -> Result<Plan> {
        match (quiet_until, self.settings.quiet_mode) {
            (Some(until), QuietMode::Defer) => return Ok(Plan::Defer(until)),
            (Some(_), QuietMode::Suppress) => {
                return Ok(Plan::Leave(Reason::QuietHours, Vec::new()));
            }
            (None, _) => {}
        }
        let devices = self.pushable_devices(event, bill).await?;
        if devices.is_empty() {
            return Ok(Plan::Leave(Reason::NoDevice, devices));
        }
        if !devices.iter().any(|device| self.delivery.is_configured(device.platform)) {
            return Ok(Plan::Leave(Reason::NotConfigured, devices));
        }
        if is_limited {
            return Ok(Plan::Leave(Reason::RateLimited, Vec::new()));
        }
        Ok(Plan::Push(devices))
    }

    pub(super) async fn pushable_devices(
        &self,
        event: &Event,
        bill: &mut Bill,
    ) -> Result<Vec<Device>> {
        let query = Query::text(
            "SELECT * FROM c WHERE IS_DEFINED(c.deviceId) AND \
             (NOT IS_DEFINED(c.revokedAt) OR IS_NULL(c.revokedAt)) ORDER BY c.lastSeenAt DESC",
        );
        let answer = self.containers.devices.query(&query.within(event.partition_key())).await?;
        Ok(bill.take(answer))
    }
}
