//! The stream hub: who listens, and the feed reader behind them.
//!
//! Owns when the reader of the change feed runs: from the first listener until a while after the last. Does not own
//! reading (`feed_reader`).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use client::{Container, Environment};
use service::erasure::Erasure;
use service::http::{EventListener, EventRing, ShutdownSignal};
use tokio::sync::{Mutex, Notify};

use crate::domain::{UserId, UtcTimestamp};
use crate::error::Result;
use crate::settings::NotificationSettings;

use super::feed_reader::FeedReader;
use super::list_change::{ErasureMarker, StreamEvent};

/// Events kept for listeners that reconnect. A listener that was away for longer gets a reset and reads its list again.
const EVENTS_MAX: usize = 4_096;

/// Publishes changes of lists to whoever listens, now or after a short absence. Cloning shares it.
#[derive(Clone)]
pub(crate) struct StreamHub {
    inner: Arc<HubInner>,
}

pub(super) struct HubInner {
    pub(super) environment: Environment,
    pub(super) notifications: Container,
    pub(super) poll_interval: Duration,
    pub(super) events: EventRing,
    /// Makes the reader poll at once.
    pub(super) wake: Notify,
    /// Names users by a keyed hash, which all processes of the system share.
    hashes: Erasure,
    listeners: AtomicUsize,
    /// The lock is held while the reader starts and while it decides to stop, so a listener never relies on a reader
    /// that is about to stop.
    is_reader_running: Mutex<bool>,
}

/// A listener to one user's list. The reader runs at least as long as it exists.
pub(crate) struct StreamListener {
    pub(crate) listener: EventListener,
    _guard: ListenerGuard,
}

/// Counts a listener while it exists.
struct ListenerGuard(Arc<HubInner>);

impl StreamHub {
    pub(crate) fn new(
        environment: &Environment,
        notifications: &Container,
        leases: &Container,
        settings: &NotificationSettings,
    ) -> Self {
        let inner = HubInner {
            environment: environment.clone(),
            notifications: notifications.clone(),
            poll_interval: Duration::from_millis(settings.stream_poll_milliseconds),
            events: EventRing::new(environment, EVENTS_MAX),
            wake: Notify::new(),
            hashes: Erasure::new(leases, settings.erasure_secret.expose().as_bytes()),
            listeners: AtomicUsize::new(0),
            is_reader_running: Mutex::new(false),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Makes the reader poll at once, because this process has changed a list.
    pub(crate) fn wake(&self) {
        self.inner.wake.notify_one();
    }

    /// Writes the erasure marker, by which the readers of all processes learn that a user's list is gone.
    pub(crate) async fn publish_erasure(&self, user: &UserId, now: UtcTimestamp) -> Result<()> {
        let marker = ErasureMarker::new(self.inner.topic(user), now);
        self.inner.notifications.upsert(&ErasureMarker::partition_key(), &marker, None).await?;
        self.wake();
        Ok(())
    }

    /// Listens to a user's list: every later write is published, whichever process makes it.
    ///
    /// # Errors
    /// Those of the account when the reader has to start.
    pub(crate) async fn listen(
        &self,
        user: &UserId,
        last: Option<&str>,
        shutdown: &ShutdownSignal,
    ) -> Result<StreamListener> {
        let inner = &self.inner;
        let mut is_reader_running = inner.is_reader_running.lock().await;
        // Counted under the lock and before the reader starts, so that the reader cannot find itself unused.
        let guard = ListenerGuard::new(inner);
        if !*is_reader_running {
            FeedReader::start(inner, shutdown).await?;
            *is_reader_running = true;
        }
        // Still under the lock: events between the start of the reader and this line are in the ring.
        let listener = inner.events.listen(&inner.topic(user), last, shutdown);
        Ok(StreamListener { listener, _guard: guard })
    }
}

impl HubInner {
    /// The name of a user's stream in the event ring.
    pub(super) fn topic(&self, user: &UserId) -> String {
        self.hashes.subject_hash(user.as_str())
    }

    pub(super) fn publish(&self, topic: &str, event: &StreamEvent) {
        self.events.publish(topic, event.name(), &event.data());
    }

    pub(super) fn has_listeners(&self) -> bool {
        self.listeners.load(Ordering::SeqCst) > 0
    }

    /// Marks the reader as stopped if nobody listens, and returns whether it has to stop.
    pub(super) async fn stop_reader_if_unused(&self) -> bool {
        let mut is_reader_running = self.is_reader_running.lock().await;
        *is_reader_running = self.has_listeners();
        !*is_reader_running
    }
}

impl ListenerGuard {
    fn new(inner: &Arc<HubInner>) -> Self {
        inner.listeners.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(inner))
    }
}

impl Drop for ListenerGuard {
    fn drop(&mut self) {
        self.0.listeners.fetch_sub(1, Ordering::SeqCst);
    }
}
