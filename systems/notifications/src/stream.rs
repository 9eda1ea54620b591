//! Telling open streams of this process that a user's list has changed.
//!
//! Owns which signals there are. Does not own the ring they go through (`service`), nor the route (`http`).

use client::Environment;
use serde_json::{Value, json};
use service::http::Events;

use crate::words::{Notification, UserId};

/// What happened to a list.
#[derive(Clone, Debug)]
pub(crate) enum Signal {
    /// A notification came.
    New(Box<Notification>),
    /// One changed: more events were added, it was read or put away.
    Updated(Box<Notification>),
    /// Several changed, or all are gone.
    Changed,
}

/// Where signals go: to whoever listens, now or after a short absence.
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    events: Events,
}

/// Signals kept for listeners who come back; who was away longer reads the list again.
const SIGNALS_MAX: usize = 4_096;

impl Signals {
    pub(crate) fn new(environment: &Environment) -> Self {
        Self { events: Events::new(environment, SIGNALS_MAX) }
    }

    /// Tells everybody who listens to this user.
    pub(crate) fn send(&self, user: &UserId, signal: &Signal) {
        let (name, data) = match signal {
            Signal::New(notification) => ("new", shown(notification)),
            Signal::Updated(notification) => ("updated", shown(notification)),
            Signal::Changed => ("changed", json!({})),
        };
        self.events.publish(user.as_str(), name, &data);
    }

    pub(crate) fn events(&self) -> &Events {
        &self.events
    }
}

/// A notification as its user sees it: without what only the dispatcher needs.
pub(crate) fn shown(notification: &Notification) -> Value {
    let mut value = serde_json::to_value(notification).unwrap_or_default();
    if let Value::Object(properties) = &mut value {
        for hidden in ["mergedEventIds", "dedupeKey", "ttl"] {
            properties.remove(hidden);
        }
    }
    value
}
