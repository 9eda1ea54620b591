//! StreamHub as a value: who listens, and the reader behind them.
//!
//! Owns when the reader of the change feed runs: from the first listener until a while after the last. Does not own
//! reading (`follow`).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use client::{Container, Environment};
use service::erasure::Erasure;
use service::http::{Events, Listener, Stop};
use tokio::sync::{Mutex, Notify};

use crate::domain::{Moment, UserId};
use crate::error::Result;
use crate::settings::NotificationSettings;

use super::feed_reader::FeedReader;
use super::list_change::{ErasureMarker, StreamEvent};

/// StreamHub kept for listeners who come back; who was away longer reads the list again.
const EVENTS_MAX: usize = 4_096;

/// Where signals go: to whoever listens, now or after a short absence. Cloning shares it.
#[derive(Clone)]
pub(crate) struct StreamHub {
    pub(super) inner: Arc<HubInner>,
}

pub(super) struct HubInner {
    pub(super) environment: Environment,
    pub(super) notifications: Container,
    pub(super) poll: Duration,
    pub(super) events: Events,
    pub(super) wake: Notify,
    /// Names users by a keyed hash, which all processes of the system share.
    hashes: Erasure,
    listeners: AtomicUsize,
    /// Whether the reader runs.
    is_reader_running: Mutex<bool>,
}

/// One who listens. The reader runs at least as long.
pub(crate) struct StreamListener {
    pub(crate) listener: Listener,
    _seat: ListenerGuard,
}

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
            poll: Duration::from_millis(settings.stream_poll_milliseconds),
            events: Events::new(environment, EVENTS_MAX),
            wake: Notify::new(),
            hashes: Erasure::new(leases, settings.erasure_secret.expose().as_bytes()),
            listeners: AtomicUsize::new(0),
            is_reader_running: Mutex::new(false),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Says that this process has changed a list: its listeners need not wait for the next look at the feed.
    pub(crate) fn wake(&self) {
        self.inner.wake.notify_one();
    }

    /// Tells every process that a user's list is gone.
    pub(crate) async fn publish_erasure(&self, user: &UserId, now: Moment) -> Result<()> {
        let erased = ErasureMarker::new(self.inner.topic(user), now);
        self.inner.notifications.upsert(&ErasureMarker::partition_key(), &erased, None).await?;
        self.wake();
        Ok(())
    }

    /// Listens to a user's list: all that is written from now on is told, by whichever process.
    ///
    /// # Errors
    /// Those of the account when the reader has to begin.
    pub(crate) async fn listen(
        &self,
        user: &UserId,
        last: Option<&str>,
        stop: &Stop,
    ) -> Result<StreamListener> {
        let inner = &self.inner;
        let mut is_reader_running = inner.is_reader_running.lock().await;
        let seat = ListenerGuard::take(inner);
        if !*is_reader_running {
            FeedReader::begin(inner, stop).await?;
            *is_reader_running = true;
        }
        let listener = inner.events.listen(&inner.topic(user), last, stop);
        Ok(StreamListener { listener, _seat: seat })
    }
}

impl HubInner {
    /// What the ring knows a user by.
    pub(super) fn topic(&self, user: &UserId) -> String {
        self.hashes.subject_hash(user.as_str())
    }

    pub(super) fn publish(&self, topic: &str, signal: &StreamEvent) {
        self.events.publish(topic, signal.name(), &signal.data());
    }

    pub(super) fn has_listeners(&self) -> bool {
        self.listeners.load(Ordering::SeqCst) > 0
    }

    /// Ends the reader if nobody listens; no listener can come meanwhile.
    pub(super) async fn stop_if_idle(&self) -> bool {
        let mut is_reader_running = self.is_reader_running.lock().await;
        *is_reader_running = self.has_listeners();
        !*is_reader_running
    }
}

impl ListenerGuard {
    fn take(inner: &Arc<HubInner>) -> Self {
        inner.listeners.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(inner))
    }
}

impl Drop for ListenerGuard {
    fn drop(&mut self) {
        self.0.listeners.fetch_sub(1, Ordering::SeqCst);
    }
}
