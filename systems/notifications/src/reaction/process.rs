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

use super::in_app::Earlier;
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
        let own_id = notification_id(&event.id);
        let mut own = None;
        match self.find_earlier(event, &own_id, bill).await? {
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
        let plan = self.plan_or_go_on(event, &preferences, own.as_ref(), &own_id, bill).await?;
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

    /// A push that was begun goes on without being planned anew: its place in the limit is taken.
    async fn plan_or_go_on(
        &self,
        event: &Event,
        preferences: &Preferences,
        own: Option<&Notification>,
        own_id: &str,
        bill: &mut Bill,
    ) -> Result<Plan> {
        if own.is_some_and(|own| own.pushed == Some(true)) {
            let devices = self.pushable_devices(event, bill).await?;
            let unpushed = devices.is_empty() && event.deliveries.is_empty();
            return Ok(if unpushed {
                Plan::Leave(Reason::NoDevice, devices)
            } else {
                Plan::Push(devices)
            });
        }
        self.plan_push(event, preferences, own_id, self.now(), bill).await
    }

    async fn push_by_plan(
        &self,
        event: &Event,
        notification: &Notification,
        plan: Plan,
        bill: &mut Bill,
    ) -> Result<Outcome> {
        let id = Some(notification.id.clone());
        let devices = match plan {
            Plan::Push(devices) => devices,
            Plan::Defer(until) => {
                return Ok(Outcome::Deferred { until, notification_id: notification.id.clone() });
            }
            Plan::Leave(Reason::RateLimited, _) => {
                return Ok(done(Status::RateLimited, Some(Reason::RateLimited), id, Vec::new()));
            }
            Plan::Leave(reason, devices) => {
                let records = devices.into_iter().map(|device| PushRecord {
                    device_id: device.device_id,
                    result: PushState::NotConfigured,
                    provider_id: None,
                    error: None,
                });
                return Ok(done(Status::Completed, Some(reason), id, records.collect()));
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
        Ok(done(Status::Completed, reason, id, pushed.records))
    }

    fn lease_is_over(&self, event: &Event) -> bool {
        event.lease_until.is_none_or(|until| self.now() >= until)
    }

    async fn read_preferences(&self, event: &Event, bill: &mut Bill) -> Result<Preferences> {
        let id = event.user_id.as_str();
        match self.containers.preferences.read::<Preferences>(&event.partition_key(), id).await {
            Ok(answer) => Ok(bill.take(answer).into_value()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
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
