//! How the way of an event ends, and writing that down.
//!
//! Owns the last write of an attempt: done, or failed with the time of the next attempt. Does not own what came before.

use std::time::Duration;

use client::{ErrorKind, Item};

use crate::charged::Bill;
use crate::error::Result;
use crate::notifications::Core;
use crate::words::{Event, Moment, PushRecord, Reason, Status};

/// Characters of a stored error at most.
const ERROR_CHARS_MAX: usize = 1_000;

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// The way has ended.
    Done {
        status: Status,
        reason: Option<Reason>,
        notification_id: Option<String>,
        deliveries: Vec<PushRecord>,
    },
    /// The push waits until then.
    Deferred { until: Moment, notification_id: String },
    /// It is to be tried again.
    Failed { error: String, after: Option<Duration>, deliveries: Option<Vec<PushRecord>> },
}

/// What became of the claim at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// The end is stored.
    Yes,
    /// Somebody else has the event now.
    LeaseLost,
    /// The event is gone: its user was erased.
    EventGone,
}

impl Core {
    /// Writes the end of an attempt, if the event is still ours.
    pub(super) async fn write_outcome(
        &self,
        mut item: Item<Event>,
        outcome: Outcome,
        bill: &mut Bill,
    ) -> Result<Written> {
        let now = self.now();
        self.apply(&mut item.value, outcome, now);
        let key = item.value.partition_key();
        match self.containers.events.save(&key, &item).await {
            Ok(answer) => {
                bill.take(answer);
                Ok(Written::Yes)
            }
            Err(error) if error.kind() == ErrorKind::Precondition => Ok(Written::LeaseLost),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Written::EventGone),
            Err(error) => Err(error.into()),
        }
    }

    fn apply(&self, event: &mut Event, outcome: Outcome, now: Moment) {
        event.lease_owner = None;
        event.lease_until = None;
        event.ttl = self.ttl(event.created_at, now);
        match outcome {
            Outcome::Done { status, reason, notification_id, deliveries } => {
                event.status = status;
                event.reason = reason;
                event.notification_id = notification_id;
                event.deliveries = deliveries;
                event.processed_at = Some(now);
                event.next_retry_at = None;
                event.ttl = self.ttl_when_done(event.created_at, now);
            }
            Outcome::Deferred { until, notification_id } => {
                event.status = Status::Pending;
                event.reason = Some(Reason::QuietHours);
                event.notification_id = Some(notification_id);
                event.scheduled_at = Some(until);
            }
            Outcome::Failed { error, after, deliveries } => {
                self.fail(event, &error, after, now);
                if let Some(deliveries) = deliveries {
                    event.deliveries = deliveries;
                }
            }
        }
    }

    /// Counts an attempt that failed; the last one makes the event dead.
    pub(super) fn fail(
        &self,
        event: &mut Event,
        error: &str,
        after: Option<Duration>,
        now: Moment,
    ) {
        event.status = Status::Failed;
        event.retry_count += 1;
        event.last_error = Some(error.chars().take(ERROR_CHARS_MAX).collect());
        event.lease_owner = None;
        event.lease_until = None;
        event.next_retry_at = if event.retry_count < self.settings.max_retries {
            let delay = retry_delay(event.retry_count, self.environment.random());
            Some(now.after(delay.max(after.unwrap_or_default())))
        } else {
            None
        };
    }
}

/// 2 to the power of the attempts, in minutes, and up to a tenth more, so that events that failed together do not come
/// back together.
fn retry_delay(retry_count: u32, random: u64) -> Duration {
    let minutes = 1u64 << retry_count.min(16);
    let delay_ms = minutes * 60 * 1000;
    Duration::from_millis(delay_ms + random % (delay_ms / 10 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_and_grow_by_a_tenth_at_most() {
        let minutes = |count, random| retry_delay(count, random).as_secs_f64() / 60.0;
        assert_eq!((minutes(1, 0), minutes(2, 0), minutes(5, 0)), (2.0, 4.0, 32.0));
        for random in [1, 7_777, u64::MAX] {
            assert!((2.0..=2.2).contains(&minutes(1, random)), "{random}");
        }
    }
}
