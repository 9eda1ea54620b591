//! How the way of an event ends, and what is written with that.
//!
//! Owns the step from an outcome to the last write of an attempt. The queue owns the write itself, attempts and the
//! time of the next one.

use std::time::Duration;

use service::work::Finish;

use crate::words::{Event, Moment, PushRecord, Reason, Status};

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// The way has ended.
    Done {
        status: Status,
        reason: Option<Reason>,
        /// The notification of another event that it was added to.
        notification_id: Option<String>,
        deliveries: Vec<PushRecord>,
    },
    /// The push waits until then.
    Deferred { until: Moment },
    /// It is to be tried again.
    Failed { error: String, after: Option<Duration>, deliveries: Vec<PushRecord> },
}

impl Outcome {
    /// The end of the attempt, now.
    pub(super) fn finish(self, now: Moment) -> Finish<Event> {
        match self {
            Self::Done { status, reason, notification_id, deliveries } => {
                Finish::done().with(move |event: &mut Event| {
                    event.status = status;
                    event.reason = reason;
                    event.notification_id.clone_from(&notification_id);
                    event.deliveries.clone_from(&deliveries);
                    event.processed_at = Some(now);
                })
            }
            Self::Deferred { until } => Finish::postponed(until)
                .with(|event: &mut Event| event.reason = Some(Reason::QuietHours)),
            Self::Failed { error, after, deliveries } => Finish::again(error, after)
                .with(move |event: &mut Event| event.deliveries.clone_from(&deliveries)),
        }
    }
}
