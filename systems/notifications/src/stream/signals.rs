//! Signals as a value: who listens, and the reader behind them.
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

use crate::error::Result;
use crate::settings::Settings;
use crate::words::{Moment, UserId};

use super::follow::Follower;
use super::news::{Erased, Signal};

/// Signals kept for listeners who come back; who was away longer reads the list again.
const SIGNALS_MAX: usize = 4_096;

/// Where signals go: to whoever listens, now or after a short absence. Cloning shares it.
#[derive(Clone)]
pub(crate) struct Signals {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) environment: Environment,
    pub(super) notifications: Container,
    pub(super) poll: Duration,
    pub(super) events: Events,
    pub(super) wake: Notify,
    /// Names users by a keyed hash, which all processes of the system share.
    hashes: Erasure,
    listeners: AtomicUsize,
    /// Whether the reader runs.
    is_followed: Mutex<bool>,
}

/// One who listens. The reader runs at least as long.
pub(crate) struct Listening {
    pub(crate) listener: Listener,
    _seat: Seat,
}

struct Seat(Arc<Inner>);

impl Signals {
    pub(crate) fn new(
        environment: &Environment,
        notifications: &Container,
        leases: &Container,
        settings: &Settings,
    ) -> Self {
        let inner = Inner {
            environment: environment.clone(),
            notifications: notifications.clone(),
            poll: Duration::from_millis(settings.stream_poll_milliseconds),
            events: Events::new(environment, SIGNALS_MAX),
            wake: Notify::new(),
            hashes: Erasure::new(leases, settings.erasure_secret.expose().as_bytes()),
            listeners: AtomicUsize::new(0),
            is_followed: Mutex::new(false),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Says that this process has changed a list: its listeners need not wait for the next look at the feed.
    pub(crate) fn wake(&self) {
        self.inner.wake.notify_one();
    }

    /// Tells every process that a user's list is gone.
    pub(crate) async fn tell_erased(&self, user: &UserId, now: Moment) -> Result<()> {
        let erased = Erased::new(self.inner.topic(user), now);
        self.inner.notifications.upsert(&Erased::partition_key(), &erased, None).await?;
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
    ) -> Result<Listening> {
        let inner = &self.inner;
        let mut is_followed = inner.is_followed.lock().await;
        let seat = Seat::take(inner);
        if !*is_followed {
            Follower::begin(inner, stop).await?;
            *is_followed = true;
        }
        let listener = inner.events.listen(&inner.topic(user), last, stop);
        Ok(Listening { listener, _seat: seat })
    }
}

impl Inner {
    /// What the ring knows a user by.
    pub(super) fn topic(&self, user: &UserId) -> String {
        self.hashes.subject_hash(user.as_str())
    }

    pub(super) fn publish(&self, topic: &str, signal: &Signal) {
        self.events.publish(topic, signal.name(), &signal.data());
    }

    pub(super) fn has_listeners(&self) -> bool {
        self.listeners.load(Ordering::SeqCst) > 0
    }

    /// Ends the reader if nobody listens; no listener can come meanwhile.
    pub(super) async fn may_end(&self) -> bool {
        let mut is_followed = self.is_followed.lock().await;
        *is_followed = self.has_listeners();
        !*is_followed
    }
}

impl Seat {
    fn take(inner: &Arc<Inner>) -> Self {
        inner.listeners.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(inner))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.listeners.fetch_sub(1, Ordering::SeqCst);
    }
}
