//! What a user's list already holds when an event comes: the notification it belongs to, and pushes that count.
//!
//! Owns the one question for both. They are asked together because each question of a logical partition has its price,
//! however little it finds; what they find is told apart here. Earlier notifications are looked up in the list itself
//! and not among events, because the list is where an attempt that died has left its mark.

use std::time::Duration;

use client::Query;

use crate::charged::Bill;
use crate::error::Result;
use crate::notifications::Core;
use crate::settings::RateLimit;
use crate::words::{Event, Moment, Notification};

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// What the list holds for an event.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) earlier: Earlier,
    /// Whether the user got as many pushes of the category as they should.
    pub(super) is_limited: bool,
}

/// The notification an event belongs to.
#[derive(Debug)]
pub(super) enum Earlier {
    /// None yet.
    None,
    /// The notification of this event: an earlier attempt wrote it.
    Own(Box<Notification>),
    /// A notification to which an earlier attempt has added this event.
    Merged(String),
    /// A notification of the same dedupe key, within the window.
    Other(String),
}

/// What is asked about pushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limits {
    /// Whether one more is too much.
    Asked,
    /// Nothing: there will be none.
    Irrelevant,
}

impl Core {
    pub(super) async fn look_into_list(
        &self,
        event: &Event,
        own_id: &str,
        limits: Limits,
        now: Moment,
        bill: &mut Bill,
    ) -> Result<Found> {
        let (key, window) = (event.dedupe_key(), self.settings.dedupe_window(event.event_type));
        let (since, day) = (event.due_at().before(window), now.before(DAY));
        let limit = match limits {
            Limits::Asked => self.settings.rate_limit(event.category),
            Limits::Irrelevant => RateLimit::default(),
        };
        let query = if limit == RateLimit::default() {
            Query::text("SELECT * FROM c WHERE c.dedupeKey = @key AND c.createdAt >= @since")
        } else {
            Query::text(
                "SELECT * FROM c WHERE (c.dedupeKey = @key AND c.createdAt >= @since) OR \
                 (c.pushed = true AND c.category = @category AND c.createdAt > @day)",
            )
            .parameter("@category", event.category.name())
            .parameter("@day", day)
        };
        let query = query
            .parameter("@key", key.as_str())
            .parameter("@since", since)
            .within(event.partition_key());
        let found: Vec<Notification> =
            bill.take(self.containers.notifications.query(&query).await?);
        let pushed: Vec<Moment> = found
            .iter()
            .filter(|one| one.pushed == Some(true) && one.category == event.category)
            .filter(|one| one.created_at > day && one.id != own_id)
            .map(|one| one.created_at)
            .collect();
        let same =
            |one: &Notification| one.dedupe_key.as_ref() == Some(&key) && one.created_at >= since;
        let earlier = earlier(found.into_iter().filter(same).collect(), event, own_id);
        let earlier = match earlier {
            Earlier::Other(_) if window.is_zero() => Earlier::None,
            earlier => earlier,
        };
        Ok(Found { earlier, is_limited: is_over(limit, &pushed, now) })
    }
}

/// Sorted here: there are few, and a query in order would look at the whole list.
fn earlier(mut found: Vec<Notification>, event: &Event, own_id: &str) -> Earlier {
    found.sort_by_key(|notification| std::cmp::Reverse(notification.created_at));
    let newest = found.first().map(|newest| newest.id.clone());
    for notification in found {
        if notification.id == own_id {
            return Earlier::Own(Box::new(notification));
        }
        if notification.merged_event_ids.contains(&event.id) {
            return Earlier::Merged(notification.id);
        }
    }
    newest.map_or(Earlier::None, Earlier::Other)
}

/// Only what was pushed counts, so that a limit does not prolong itself.
fn is_over(limit: RateLimit, pushed: &[Moment], now: Moment) -> bool {
    let last_hour = pushed.iter().filter(|at| **at > now.before(HOUR)).count();
    let over = |limit: Option<usize>, count: usize| limit.is_some_and(|limit| count >= limit);
    over(limit.per_hour, last_hour) || over(limit.per_day, pushed.len())
}
