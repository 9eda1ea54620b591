//! Whether an event is pushed, and to which devices.
//!
//! Owns quiet hours, limits and the choice of devices, in the order that asks least of the data: what is quiet needs no
//! devices, who has no device needs no limit. Does not push.

use std::time::Duration;

use client::Query;

use crate::charged::Bill;
use crate::error::Result;
use crate::notifications::Core;
use crate::settings::QuietMode;
use crate::words::{Device, Event, Moment, Preferences, Reason};

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

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
    pub(super) async fn plan_push(
        &self,
        event: &Event,
        preferences: &Preferences,
        notification_id: &str,
        now: Moment,
        bill: &mut Bill,
    ) -> Result<Plan> {
        if !event.category.is_critical() {
            match (preferences.quiet_until(now), self.settings.quiet_mode) {
                (Some(until), QuietMode::Defer) => return Ok(Plan::Defer(until)),
                (Some(_), QuietMode::Suppress) => {
                    return Ok(Plan::Leave(Reason::QuietHours, Vec::new()));
                }
                (None, _) => {}
            }
        }
        let devices = self.pushable_devices(event, bill).await?;
        if devices.is_empty() {
            return Ok(Plan::Leave(Reason::NoDevice, devices));
        }
        if !devices.iter().any(|device| self.delivery.is_configured(device.platform)) {
            return Ok(Plan::Leave(Reason::NotConfigured, devices));
        }
        if self.is_limited(event, notification_id, now, bill).await? {
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

    /// Whether the user got as many pushes of the category as they should. Only what was pushed counts, so that a limit
    /// does not prolong itself.
    async fn is_limited(
        &self,
        event: &Event,
        notification_id: &str,
        now: Moment,
        bill: &mut Bill,
    ) -> Result<bool> {
        let limit = self.settings.rate_limit(event.category);
        if limit.per_hour.is_none() && limit.per_day.is_none() {
            return Ok(false);
        }
        let query = Query::text(
            "SELECT VALUE c.createdAt FROM c WHERE c.category = @category AND c.createdAt > @window \
             AND c.pushed = true AND c.id != @self",
        );
        let query = query
            .parameter("@category", event.category.name())
            .parameter("@window", now.before(DAY))
            .parameter("@self", notification_id)
            .within(event.partition_key());
        let pushed: Vec<Moment> = bill.take(self.containers.notifications.query(&query).await?);
        let last_hour = pushed.iter().filter(|at| **at > now.before(HOUR)).count();
        let over = |limit: Option<usize>, count: usize| limit.is_some_and(|limit| count >= limit);
        Ok(over(limit.per_hour, last_hour) || over(limit.per_day, pushed.len()))
    }
}
