//! The reader: follows the change feed of all lists and tells what it finds.
//!
//! Owns its place in the feed and its pace. It begins at now and says `reset` then, because it does not know what was
//! before; so does a reader that lost its place.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Weak};
use std::time::Duration;

use client::{ChangeFeed, ChangeStart, ErrorKind};
use serde::de::IgnoredAny;
use service::http::Stop;

use crate::domain::Notification;
use crate::error::Result;

use super::hub::HubInner;
use super::list_change::{ListChange, StreamEvent, is_first};

/// How long the reader goes on without listeners: a page that is loaded again needs not begin anew.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// The shortest time between two looks at the feed: a busy process must not look after every write.
const POLL_INTERVAL_MIN: Duration = Duration::from_millis(25);
/// The wait after a look that failed.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Changes of one user in a page that are told one by one; more of them are told as one.
const SINGLE_EVENTS_MAX: usize = 10;
/// Notifications remembered as told.
const ANNOUNCED_IDS_MAX: usize = 4_096;

pub(super) struct FeedReader {
    place: ChangeStart,
    told: AnnouncedIds,
}

/// Notifications told as new. A later version that looks like a first one has nothing to tell, such as a push that
/// reached no device.
#[derive(Default)]
struct AnnouncedIds {
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl FeedReader {
    /// Finds its place, then runs beside the caller.
    pub(super) async fn begin(inner: &Arc<HubInner>, stop: &Stop) -> Result<()> {
        let mut follower = Self { place: ChangeStart::Now, told: AnnouncedIds::default() };
        follower.look(inner).await?;
        let (weak, stop) = (Arc::downgrade(inner), stop.clone());
        inner.environment.spawn(follower.run(weak, stop));
        Ok(())
    }

    async fn run(mut self, inner: Weak<HubInner>, stop: Stop) {
        let mut idle_since = None;
        while let Some(inner) = inner.upgrade() {
            let now_ms = inner.environment.now().0;
            let idle_since_ms = match (inner.has_listeners(), idle_since) {
                (true, _) => None,
                (false, since) => Some(since.unwrap_or(now_ms)),
            };
            idle_since = idle_since_ms;
            let idle_ms = idle_since_ms.map_or(0, |since| now_ms.saturating_sub(since));
            let is_over = u128::from(idle_ms) >= IDLE_TIMEOUT.as_millis() || stop.is_stopping();
            if is_over && inner.stop_if_idle().await {
                return;
            }
            let wait = match self.look(&inner).await {
                Ok(()) => inner.poll,
                Err(error) => {
                    tracing::warn!(error = %error, "streams could not be told the news");
                    RETRY_DELAY.max(inner.poll)
                }
            };
            inner.environment.sleep(POLL_INTERVAL_MIN.min(wait)).await;
            tokio::select! {
                () = inner.wake.notified() => {}
                () = stop.stopped() => {}
                () = inner.environment.sleep(wait.saturating_sub(POLL_INTERVAL_MIN)) => {}
            }
        }
    }

    /// Tells everything that is new.
    async fn look(&mut self, inner: &HubInner) -> Result<()> {
        loop {
            let begins = self.place == ChangeStart::Now;
            let feed = ChangeFeed::latest(self.place.clone());
            let page = match inner.notifications.changes::<IgnoredAny>(feed).await {
                Ok(page) => page.value,
                Err(error) => {
                    // A place that is not known any more is not known later either.
                    if matches!(error.kind(), ErrorKind::BadRequest | ErrorKind::NotFound) {
                        self.place = ChangeStart::Now;
                    }
                    return Err(error.into());
                }
            };
            self.place = ChangeStart::Continuation(page.continuation);
            if begins {
                inner.events.reset();
            }
            let is_empty = page.changes.is_empty();
            let items = page.changes.iter().filter_map(|change| change.current.as_ref());
            self.tell(inner, items.filter_map(|item| ListChange::read(item.text())).collect());
            if is_empty || !page.more {
                return Ok(());
            }
        }
    }

    fn tell(&mut self, inner: &HubInner, news: Vec<ListChange>) {
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut told = Vec::new();
        for one in news {
            let (topic, signal) = match one {
                ListChange::ErasureMarker(erased) => (erased.id, StreamEvent::Changed),
                ListChange::Notification(one) if self.told.is_old(&one) => continue,
                ListChange::Notification(one) => (inner.topic(&one.user_id), StreamEvent::of(one)),
            };
            *counts.entry(topic.clone()).or_default() += 1;
            told.push((topic, signal));
        }
        let mut told_as_one = HashSet::new();
        for (topic, signal) in told {
            if counts.get(&topic).is_none_or(|count| *count <= SINGLE_EVENTS_MAX) {
                inner.publish(&topic, &signal);
            } else if told_as_one.insert(topic.clone()) {
                inner.publish(&topic, &StreamEvent::Changed);
            }
        }
    }
}

impl AnnouncedIds {
    /// Whether a version that looks like the first one was told before.
    fn is_old(&mut self, notification: &Notification) -> bool {
        if !is_first(notification) {
            return false;
        }
        let is_new = self.ids.insert(notification.id.clone());
        if is_new {
            self.order.push_back(notification.id.clone());
            if self.order.len() > ANNOUNCED_IDS_MAX {
                self.order.pop_front().map(|oldest| self.ids.remove(&oldest));
            }
        }
        !is_new
    }
}
