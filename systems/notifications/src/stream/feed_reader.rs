//! The feed reader: follows the change feed of all lists and publishes what it finds.
//!
//! Owns its position in the feed and how often it polls. It starts at the current end of the feed and publishes a reset
//! then, because it does not know what was before; likewise when it lost its position.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Weak};
use std::time::Duration;

use client::{ChangeFeed, ChangeStart, ErrorKind};
use serde::de::IgnoredAny;
use service::http::ShutdownSignal;

use crate::domain::Notification;
use crate::error::Result;

use super::hub::HubInner;
use super::list_change::{ListChange, StreamEvent, is_first_version};

/// The reader goes on for so long without listeners: a page that is reloaded finds it running, with its position.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// The shortest time between two polls: a busy process must not poll after each of its writes.
const POLL_INTERVAL_MIN: Duration = Duration::from_millis(25);
/// The pause after a poll that failed.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// If a page of the feed has more changes of one user, they are published as one event `changed`.
const SINGLE_EVENTS_MAX: usize = 10;
/// How many ids of notifications that were published as new are remembered.
const ANNOUNCED_IDS_MAX: usize = 4_096;

pub(super) struct FeedReader {
    position: ChangeStart,
    announced: AnnouncedIds,
}

/// The ids of notifications that were published as new.
///
/// A later version can look like the first one, such as that of a push that reached no device: only `pushed` differs,
/// which no user sees. It must not be published as new again.
#[derive(Default)]
struct AnnouncedIds {
    ids: HashSet<String>,
    /// The same ids, oldest first.
    order: VecDeque<String>,
}

impl FeedReader {
    /// Finds the position, then runs in the background. When this returns, no later write is missed.
    pub(super) async fn start(inner: &Arc<HubInner>, shutdown: &ShutdownSignal) -> Result<()> {
        let mut reader = Self { position: ChangeStart::Now, announced: AnnouncedIds::default() };
        // The first poll fixes the position. Until it has returned, a write could be missed.
        reader.poll(inner).await?;
        // The reader must not keep the hub alive: it ends when the system is dropped.
        let (weak, shutdown) = (Arc::downgrade(inner), shutdown.clone());
        inner.environment.spawn(reader.run(weak, shutdown));
        Ok(())
    }

    async fn run(mut self, inner: Weak<HubInner>, shutdown: ShutdownSignal) {
        let mut idle_since = None;
        while let Some(inner) = inner.upgrade() {
            let now_ms = inner.environment.now().0;
            let idle_since_ms = match (inner.has_listeners(), idle_since) {
                (true, _) => None,
                (false, since) => Some(since.unwrap_or(now_ms)),
            };
            idle_since = idle_since_ms;
            let idle_ms = idle_since_ms.map_or(0, |since| now_ms.saturating_sub(since));
            let may_stop =
                u128::from(idle_ms) >= IDLE_TIMEOUT.as_millis() || shutdown.is_triggered();
            // Asked under the hub's lock: a listener that arrives at this moment either prevents the stop or starts a
            // new reader.
            if may_stop && inner.stop_reader_if_unused().await {
                return;
            }
            let wait = match self.poll(&inner).await {
                Ok(()) => inner.poll_interval,
                Err(error) => {
                    tracing::warn!(error = %error, "the change feed of lists could not be read");
                    RETRY_DELAY.max(inner.poll_interval)
                }
            };
            // Before waiting for a wake-up, so that a burst of writes becomes one poll.
            inner.environment.sleep(POLL_INTERVAL_MIN.min(wait)).await;
            tokio::select! {
                () = inner.wake.notified() => {}
                () = shutdown.triggered() => {}
                () = inner.environment.sleep(wait.saturating_sub(POLL_INTERVAL_MIN)) => {}
            }
        }
    }

    /// Publishes everything that is new.
    async fn poll(&mut self, inner: &HubInner) -> Result<()> {
        loop {
            let is_start = self.position == ChangeStart::Now;
            let feed = ChangeFeed::latest(self.position.clone());
            let page = match inner.notifications.changes::<IgnoredAny>(feed).await {
                Ok(page) => page.value,
                Err(error) => {
                    // A position that is refused once is refused for ever.
                    if matches!(error.kind(), ErrorKind::BadRequest | ErrorKind::NotFound) {
                        self.position = ChangeStart::Now;
                    }
                    return Err(error.into());
                }
            };
            // Advanced before publishing: publishing cannot fail, and a page must not be published twice.
            self.position = ChangeStart::Continuation(page.continuation);
            if is_start {
                inner.events.reset();
            }
            let is_empty = page.changes.is_empty();
            let items = page.changes.iter().filter_map(|change| change.current.as_ref());
            self.publish(inner, items.filter_map(|item| ListChange::parse(item.text())).collect());
            if is_empty || !page.more {
                return Ok(());
            }
        }
    }

    fn publish(&mut self, inner: &HubInner, changes: Vec<ListChange>) {
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut events = Vec::new();
        for change in changes {
            let (topic, event) = match change {
                ListChange::Erasure(marker) => (marker.id, StreamEvent::Changed),
                ListChange::Notification(one) => {
                    if is_first_version(&one) && !self.announced.insert(&one) {
                        continue;
                    }
                    (inner.topic(&one.user_id), StreamEvent::for_notification(*one))
                }
            };
            *counts.entry(topic.clone()).or_default() += 1;
            events.push((topic, event));
        }
        let mut collapsed = HashSet::new();
        for (topic, event) in events {
            if counts.get(&topic).is_none_or(|count| *count <= SINGLE_EVENTS_MAX) {
                inner.publish(&topic, &event);
            // Once per user and page.
            } else if collapsed.insert(topic.clone()) {
                inner.publish(&topic, &StreamEvent::Changed);
            }
        }
    }
}

impl AnnouncedIds {
    /// Remembers a notification. Returns `false` if it was already there.
    fn insert(&mut self, notification: &Notification) -> bool {
        let is_new = self.ids.insert(notification.id.clone());
        if is_new {
            self.order.push_back(notification.id.clone());
            if self.order.len() > ANNOUNCED_IDS_MAX {
                self.order.pop_front().map(|oldest| self.ids.remove(&oldest));
            }
        }
        is_new
    }
}
