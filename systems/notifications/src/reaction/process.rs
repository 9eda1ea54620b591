//! The way of one event: claim, preferences, dedupe, limits, text, list, push, end.
//!
//! Owns the order. Each effect can be met again by a later attempt and is then not repeated: the claim has an etag, the
//! notification has an id derived from the event, an addition to a notification is remembered in it. Only a push may
//! happen twice, with the same collapse id.

use client::{ErrorKind, Item};

use crate::charged::{Bill, Charged};
use crate::error::Result;
use crate::notifications::Core;
use crate::words::{
    Event, Moment, Notification, Preferences, PushRecord, PushState, Reason, Status,
    notification_id,
};

use super::in_app::Earlier;
use super::outcome::{Outcome, Written};
use super::plan::Plan;
use super::step::Step;

/// What became of one event in the hands of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Processed {
    /// The attempt is over, and its end is written.
    Ended,
    /// Somebody else has it, or it is gone.
    NotOurs,
}

impl Core {
    /// Processes an event that was met as `PENDING`, `at` the least time its notification may have.
    pub(super) async fn process(
        &self,
        worker: &str,
        event: Item<Event>,
        at: Moment,
    ) -> Result<Charged<Processed>> {
        self.reached(Step::Met);
        let mut bill = Bill::default();
        let Some(event) = self.claim(worker, event, &mut bill).await? else {
            return Ok(bill.of(Processed::NotOurs));
        };
        self.reached(Step::Claimed);
        let outcome = match self.carry_out(&event.value, at, &mut bill).await {
            Ok(Some(outcome)) => outcome,
            Ok(None) => return Ok(bill.of(Processed::NotOurs)),
            Err(error) => {
                Outcome::Failed { error: error.to_string(), after: None, deliveries: None }
            }
        };
        if let Outcome::Failed { error, .. } = &outcome {
            let value = &event.value;
            tracing::warn!(
                user = value.user_id.hashed(),
                event = value.id,
                error,
                "an event failed"
            );
            self.health.error(self.now(), error);
        }
        let (user, id) = (event.value.user_id.clone(), notification_id(&event.value.id));
        let written = self.write_outcome(event, outcome, &mut bill).await?;
        self.reached(Step::Ended);
        match written {
            Written::Yes => self.health.processed(),
            Written::LeaseLost => return Ok(bill.of(Processed::NotOurs)),
            // Its user was erased while we worked: what we wrote must not stay.
            Written::EventGone => {
                self.forget(&user.partition_key(), &id).await?;
                return Ok(bill.of(Processed::NotOurs));
            }
        }
        Ok(bill.of(Processed::Ended))
    }

    /// Takes the event for this worker; none when somebody else was faster or it is gone.
    async fn claim(
        &self,
        worker: &str,
        mut event: Item<Event>,
        bill: &mut Bill,
    ) -> Result<Option<Item<Event>>> {
        let now = self.now();
        event.value.status = Status::Processing;
        event.value.lease_owner = Some(worker.to_owned());
        event.value.lease_until = Some(now.after(self.settings.lease()));
        event.value.next_retry_at = None;
        event.value.ttl = self.ttl(event.value.created_at, now);
        let key = event.value.partition_key();
        match self.containers.events.save(&key, &event).await {
            Ok(answer) => Ok(Some(bill.take(answer))),
            Err(error) if matches!(error.kind(), ErrorKind::Precondition | ErrorKind::NotFound) => {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Everything between the claim and the end; none when the lease ran out on the way.
    async fn carry_out(
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
            let deliveries = Some(pushed.records);
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
