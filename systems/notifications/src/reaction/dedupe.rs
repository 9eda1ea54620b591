//! Deduplication and rate limits: what a user's list already holds when an event is processed.
//!
//! Owns the one query for both. A query of a logical partition has a minimum charge however little it finds, so one
//! query is cheaper than two; its rows are separated here.

use std::time::Duration;

use client::Query;

use crate::domain::{Notification, NotificationEvent, UtcTimestamp};
use crate::error::Result;
use crate::notifications::NotificationsCore;
use crate::settings::PushRateLimit;
use service::charge::ChargeMeter;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// What the list holds for an event.
#[derive(Debug)]
pub(super) struct ListLookup {
    pub(super) dedupe_match: DedupeMatch,
    /// Whether the user already got as many pushes of the category as allowed.
    pub(super) is_rate_limited: bool,
}

/// The notification an event belongs to.
///
/// It is looked for in the list and not among events, because an attempt that crashed has left its effect in the list.
#[derive(Debug)]
pub(super) enum DedupeMatch {
    /// None yet.
    None,
    /// The notification of this event: an earlier attempt wrote it.
    OwnNotification(Box<Notification>),
    /// The id of a notification that an earlier attempt merged this event into.
    AlreadyMerged(String),
    /// The id of a notification with the same dedupe key, within the window.
    MergeInto(String),
}

/// Whether the rate limit matters for an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RateLimitCheck {
    Required,
    /// There will be no push now, because of quiet hours.
    Skipped,
}

impl NotificationsCore {
    pub(super) async fn look_up_list(
        &self,
        event: &NotificationEvent,
        own_id: &str,
        check: RateLimitCheck,
        now: UtcTimestamp,
        meter: &mut ChargeMeter,
    ) -> Result<ListLookup> {
        let (key, window) = (event.dedupe_key(), self.settings.dedupe_window(event.event_type));
        // The window begins before the event was due and not before now, so a retry hours later gets the same answer.
        let (since, day_ago) = (event.due_at().before(window), now.before(DAY));
        let limit = match check {
            RateLimitCheck::Required => self.settings.rate_limit(event.category),
            RateLimitCheck::Skipped => PushRateLimit::default(),
        };
        let query = if limit == PushRateLimit::default() {
            Query::text("SELECT * FROM c WHERE c.dedupeKey = @key AND c.createdAt >= @since")
        } else {
            Query::text(
                "SELECT * FROM c WHERE (c.dedupeKey = @key AND c.createdAt >= @since) OR \
                 (c.pushed = true AND c.category = @category AND c.createdAt > @day)",
            )
            .parameter("@category", event.category.name())
            .parameter("@day", day_ago)
        };
        let query = query
            .parameter("@key", key.as_str())
            .parameter("@since", since)
            .within(event.partition_key());
        let rows: Vec<Notification> =
            meter.record(self.containers.notifications.query(&query).await?);
        // The event's own notification does not count: an earlier attempt may have set `pushed` and crashed.
        let pushed_at: Vec<UtcTimestamp> = rows
            .iter()
            .filter(|row| row.pushed == Some(true) && row.category == event.category)
            // The rows of the dedupe key may be older than a day.
            .filter(|row| row.created_at > day_ago && row.id != own_id)
            .map(|row| row.created_at)
            .collect();
        let has_key =
            |row: &Notification| row.dedupe_key.as_ref() == Some(&key) && row.created_at >= since;
        let same_key = rows.into_iter().filter(has_key).collect();
        let dedupe_match = match find_match(same_key, event, own_id) {
            // A window of zero switches deduplication off, but effects of an earlier attempt still count.
            DedupeMatch::MergeInto(_) if window.is_zero() => DedupeMatch::None,
            found => found,
        };
        Ok(ListLookup { dedupe_match, is_rate_limited: is_limit_reached(limit, &pushed_at, now) })
    }
}

/// Sorts in memory: there are few rows, and an `ORDER BY` would read the whole list.
fn find_match(
    mut same_key: Vec<Notification>,
    event: &NotificationEvent,
    own_id: &str,
) -> DedupeMatch {
    same_key.sort_by_key(|notification| std::cmp::Reverse(notification.created_at));
    let newest = same_key.first().map(|newest| newest.id.clone());
    for notification in same_key {
        if notification.id == own_id {
            return DedupeMatch::OwnNotification(Box::new(notification));
        }
        if notification.merged_event_ids.contains(&event.id) {
            return DedupeMatch::AlreadyMerged(notification.id);
        }
    }
    newest.map_or(DedupeMatch::None, DedupeMatch::MergeInto)
}

/// Only pushed notifications count. If suppressed ones counted too, a limit that is reached would prolong itself.
fn is_limit_reached(limit: PushRateLimit, pushed_at: &[UtcTimestamp], now: UtcTimestamp) -> bool {
    let last_hour = pushed_at.iter().filter(|at| **at > now.before(HOUR)).count();
    let reached = |limit: Option<usize>, count: usize| limit.is_some_and(|limit| count >= limit);
    reached(limit.per_hour, last_hour) || reached(limit.per_day, pushed_at.len())
}
