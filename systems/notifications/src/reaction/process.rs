//! The way of one event between its claim and its end: preferences, dedupe, limits, text, list, push.
//!
//! Owns the order. Each effect can be met again by a later attempt and is then not repeated: the notification has an id
//! derived from the event, an addition to a notification is remembered in it. Only a push may happen twice, with the
//! same collapse id. Does not own claim and end: they are the queue's.

use client::ErrorKind;

use crate::charged::Bill;
use crate::error::Result;
use crate::notifications::Core;
use crate::words::{
    Event, Moment, Notification, Preferences, PushRecord, PushState, Reason, Status,
    notification_id,
};

use super::earlier::{Earlier, Limits};
use super::outcome::Outcome;
use super::plan::Plan;
use super::step::Step;

impl Core {
    /// Everything between the claim and the end, `at` the least time its notification may have; none when the lease ran
    /// out on the way.
    pub(super) async fn carry_out(
        &self,
        event: &Event,
        at: Moment,
        bill: &mut Bill,
    ) -> Result<Option<Outcome>> {
        let preferences = self.read_preferences(event, bill).await?;
        if !preferences.wants(event.category) {
            return Ok(Some(done(Status::Completed, Some(Reason::CategoryOff), None, Vec::new())));
        }
        let (own_id, now) = (notification_id(&event.id), self.now());
        let quiet_until = self.quiet_until(event, &preferences, now);
        let limits = quiet_until.map_or(Limits::Asked, |_| Limits::Irrelevant);
        let found = self.look_into_list(event, &own_id, limits, now, bill).await?;
        let mut own = None;
        match found.earlier {
            Earlier::None => {}
            Earlier::Own(notification) => own = Some(*notification),
            Earlier::Merged(id) => {
                return Ok(Some(done(Status::Deduplicated, None, Some(id), Vec::new())));
            }
            Earlier::Other(id) => {
                self.reached(Step::Decided);
                if self.merge(event, &id, preferences.locale.as_deref(), bill).await? {
                    self.reached(Step::Merged);
                    return Ok(Some(done(Status::Deduplicated, None, Some(id), Vec::new())));
                }
            }
        }
        let plan = match &own {
            // A push that was begun goes on without being planned anew: its place in the limit is taken.
            Some(own) if own.pushed == Some(true) => self.go_on(event, bill).await?,
            _ => self.plan_push(event, quiet_until, found.is_limited, bill).await?,
        };
        self.reached(Step::Decided);
        if self.lease_is_over(event) {
            return Ok(None);
        }
        let notification = match own {
            Some(own) => self.mark_pushed(own, &plan, bill).await?,
            None => self.write_in_app(event, &preferences, &plan, at, bill).await?,
        };
        self.reached(Step::Listed);
        self.push_by_plan(event, &notification, plan, bill).await.map(Some)
    }

    async fn go_on(&self, event: &Event, bill: &mut Bill) -> Result<Plan> {
        let devices = self.pushable_devices(event, bill).await?;
        let unpushed = devices.is_empty() && event.deliveries.is_empty();
        Ok(if unpushed { Plan::Leave(Reason::NoDevice, devices) } else { Plan::Push(devices) })
    }

    async fn push_by_plan(
        &self,
        event: &Event,
        notification: &Notification,
        plan: Plan,
        bill: &mut Bill,
    ) -> Result<Outcome> {
        let devices = match plan {
            Plan::Push(devices) => devices,
            Plan::Defer(until) => return Ok(Outcome::Deferred { until }),
            Plan::Leave(Reason::RateLimited, _) => {
                return Ok(done(Status::RateLimited, Some(Reason::RateLimited), None, Vec::new()));
            }
            Plan::Leave(reason, devices) => {
                let records = devices.into_iter().map(|device| PushRecord {
                    device_id: device.device_id,
                    result: PushState::NotConfigured,
                    provider_id: None,
                    error: None,
                });
                return Ok(done(Status::Completed, Some(reason), None, records.collect()));
            }
        };
        let pushed = self.push_to(event, notification, &devices, bill).await?;
        if let Some(error) = pushed.retry {
            let deliveries = pushed.records;
            return Ok(Outcome::Failed { error, after: pushed.after, deliveries });
        }
        let mut reason = None;
        if !pushed.is_delivered() {
            reason = Some(Reason::Refused);
            self.mark_unpushed(notification, bill).await?;
        }
        Ok(done(Status::Completed, reason, None, pushed.records))
    }

    fn lease_is_over(&self, event: &Event) -> bool {
        event.lease_until.is_none_or(|until| self.now() >= until)
    }

    async fn read_preferences(&self, event: &Event, bill: &mut Bill) -> Result<Preferences> {
        let id = event.user_id.as_str();
        match self.containers.preferences.read::<Preferences>(&event.partition_key(), id).await {
            Ok(answer) => Ok(bill.take(answer).into_value()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                bill.miss(&error);
                Ok(self.default_preferences(&event.user_id))
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn done(
    status: Status,
    reason: Option<Reason>,
    notification_id: Option<String>,
    deliveries: Vec<PushRecord>,
) -> Outcome {
    Outcome::Done { status, reason, notification_id, deliveries }
}
