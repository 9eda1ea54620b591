//! How an attempt at an event ended, and what its last write stores.
//!
//! The queue owns the write itself, the count of attempts and the time of the next one.

use std::time::Duration;

use service::work::WorkCompletion;

use crate::domain::{EventStatus, NoPushReason, NotificationEvent, PushRecord, UtcTimestamp};

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AttemptResult {
    /// The event has its final status.
    Done {
        status: EventStatus,
        reason: Option<NoPushReason>,
        /// The notification of another event that it was merged into.
        notification_id: Option<String>,
        deliveries: Vec<PushRecord>,
    },
    /// The push waits for the end of the quiet hours.
    Deferred { until: UtcTimestamp },
    /// The event is to be tried again.
    Failed { error: String, after: Option<Duration>, deliveries: Vec<PushRecord> },
}

impl AttemptResult {
    /// Done, without a notification of another event and without pushes.
    pub(super) fn done(status: EventStatus, reason: Option<NoPushReason>) -> Self {
        Self::Done { status, reason, notification_id: None, deliveries: Vec::new() }
    }

    /// Done: merged into this notification of another event.
    pub(super) fn merged_into(notification_id: String) -> Self {
        Self::Done {
            status: EventStatus::Deduplicated,
            reason: None,
            notification_id: Some(notification_id),
            deliveries: Vec::new(),
        }
    }

    /// The last write of the attempt, made now.
    pub(super) fn into_finish(self, now: UtcTimestamp) -> WorkCompletion<NotificationEvent> {
        match self {
            Self::Done { status, reason, notification_id, deliveries } => WorkCompletion::done()
                .with(move |event: &mut NotificationEvent| {
                    event.status = status;
                    event.reason = reason;
                    // Cloned, because the change runs again if the write loses a race.
                    event.notification_id.clone_from(&notification_id);
                    event.deliveries.clone_from(&deliveries);
                    event.processed_at = Some(now);
                }),
            Self::Deferred { until } => {
                WorkCompletion::postponed(until).with(|event: &mut NotificationEvent| {
                    event.reason = Some(NoPushReason::QuietHours);
                })
            }
            // Deliveries are kept, so that the next attempt leaves out devices that have a final result.
            Self::Failed { error, after, deliveries } => {
                WorkCompletion::retry(error, after).with(move |event: &mut NotificationEvent| {
                    event.deliveries.clone_from(&deliveries);
                })
            }
        }
    }
}
