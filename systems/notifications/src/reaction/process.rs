//! Processing of one event between its claim and its final write: preferences, dedupe, rate limits, text, list, push.
//!
//! Owns the order. A worker may crash after any step and another attempt starts over, so every effect is found again
//! and not repeated: the notification's id is derived from the event's id, and a notification remembers the events
//! merged into it. Only a push can happen twice, with the same collapse id, by which the device shows it once. The
//! queue owns the claim and the final write.

use client::ErrorKind;

use crate::domain::{
    EventStatus, NoPushReason, Notification, NotificationEvent, Preferences, PushRecord, PushState,
    UtcTimestamp, notification_id,
};
use crate::error::Result;
use crate::monitor::DispatchStep;
use crate::notifications::NotificationsCore;
use service::charge::ChargeMeter;

use super::attempt_result::AttemptResult;
use super::dedupe::{DedupeMatch, RateLimitCheck};
use super::push_plan::PushPlan;

impl NotificationsCore {
    /// Processes a claimed event. `created_at` is the earliest creation time its notification may get. `None` if the
    /// lease expired on the way; then another worker may have the event, and nothing more is written.
    pub(super) async fn process_event(
        &self,
        event: &NotificationEvent,
        created_at: UtcTimestamp,
        meter: &mut ChargeMeter,
    ) -> Result<Option<AttemptResult>> {
        let preferences = self.read_preferences(event, meter).await?;
        if !preferences.is_category_enabled(event.category) {
            let reason = Some(NoPushReason::CategoryOff);
            return Ok(Some(AttemptResult::done(EventStatus::Completed, reason)));
        }
        let (own_id, now) = (notification_id(&event.id), self.now());
        let quiet_until = self.quiet_hours_end(event, &preferences, now);
        let check = quiet_until.map_or(RateLimitCheck::Required, |_| RateLimitCheck::Skipped);
        // After the preferences, so that an event of a category that is off costs no query.
        let lookup = self.look_up_list(event, &own_id, check, now, meter).await?;
        let mut own = None;
        match lookup.dedupe_match {
            DedupeMatch::None => {}
            DedupeMatch::OwnNotification(notification) => own = Some(*notification),
            DedupeMatch::AlreadyMerged(id) => return Ok(Some(AttemptResult::merged_into(id))),
            DedupeMatch::MergeInto(id) => {
                self.report_step(DispatchStep::Planned);
                // If the earlier notification is full or gone, the event gets one of its own, below.
                if self.merge(event, &id, preferences.locale.as_deref(), meter).await? {
                    self.report_step(DispatchStep::Merged);
                    return Ok(Some(AttemptResult::merged_into(id)));
                }
            }
        }
        let plan = match &own {
            // An earlier attempt began to push. It is not planned again, because its push already counts as one of
            // those that the rate limit allows.
            Some(own) if own.pushed == Some(true) => self.resume_push(event, meter).await?,
            _ => self.plan_push(event, quiet_until, lookup.is_rate_limited, meter).await?,
        };
        self.report_step(DispatchStep::Planned);
        // Checked before the first visible effect: the reads above may have taken long, and with an expired lease two
        // workers could push the same event.
        if self.has_lease_expired(event) {
            return Ok(None);
        }
        // The list before the push, so that whoever taps a push finds its notification. `pushed` is set before the
        // push: a crash in between may count a push that never happened, but can never exceed the rate limit.
        let notification = match own {
            Some(own) => self.mark_pushed(own, &plan, meter).await?,
            None => self.write_in_app(event, &preferences, &plan, created_at, meter).await?,
        };
        self.report_step(DispatchStep::Listed);
        self.execute_plan(event, &notification, plan, meter).await.map(Some)
    }

    async fn resume_push(
        &self,
        event: &NotificationEvent,
        meter: &mut ChargeMeter,
    ) -> Result<PushPlan> {
        let devices = self.read_active_devices(event, meter).await?;
        // Without a device now and without a delivery before, nothing was ever sent.
        let is_unpushed = devices.is_empty() && event.deliveries.is_empty();
        Ok(if is_unpushed {
            PushPlan::Skip(NoPushReason::NoDevice, devices)
        } else {
            PushPlan::Push(devices)
        })
    }

    async fn execute_plan(
        &self,
        event: &NotificationEvent,
        notification: &Notification,
        plan: PushPlan,
        meter: &mut ChargeMeter,
    ) -> Result<AttemptResult> {
        let devices = match plan {
            PushPlan::Push(devices) => devices,
            PushPlan::Defer(until) => return Ok(AttemptResult::Deferred { until }),
            PushPlan::Skip(reason @ NoPushReason::RateLimited, _) => {
                return Ok(AttemptResult::done(EventStatus::RateLimited, Some(reason)));
            }
            PushPlan::Skip(reason, devices) => {
                let not_configured = |device: crate::domain::Device| PushRecord {
                    device_id: device.device_id,
                    result: PushState::NotConfigured,
                    provider_id: None,
                    error: None,
                };
                return Ok(AttemptResult::Done {
                    status: EventStatus::Completed,
                    reason: Some(reason),
                    notification_id: None,
                    deliveries: devices.into_iter().map(not_configured).collect(),
                });
            }
        };
        let summary = self.push_to_devices(event, notification, &devices, meter).await?;
        if let Some(error) = summary.retry_error {
            let (after, deliveries) = (summary.retry_after, summary.records);
            return Ok(AttemptResult::Failed { error, after, deliveries });
        }
        let mut reason = None;
        if !summary.is_delivered() {
            reason = Some(NoPushReason::Refused);
            // Set before the push, taken back here: a crash in between leaves a count that is too high, never one that
            // is too low.
            self.mark_unpushed(notification, meter).await?;
        }
        Ok(AttemptResult::Done {
            status: EventStatus::Completed,
            reason,
            notification_id: None,
            deliveries: summary.records,
        })
    }

    fn has_lease_expired(&self, event: &NotificationEvent) -> bool {
        event.lease_until.is_none_or(|until| self.now() >= until)
    }

    async fn read_preferences(
        &self,
        event: &NotificationEvent,
        meter: &mut ChargeMeter,
    ) -> Result<Preferences> {
        let id = event.user_id.as_str();
        match self.containers.preferences.read::<Preferences>(&event.partition_key(), id).await {
            Ok(response) => Ok(meter.record(response).into_value()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                meter.record_error(&error);
                Ok(self.default_preferences(&event.user_id))
            }
            Err(error) => Err(error.into()),
        }
    }
}
