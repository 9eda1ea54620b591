//! The newest events of a service, in a ring buffer that all listeners read.
//!
//! Owns order, ids and memory: an event is stored once for all listeners, and a listener is only a position in the
//! sequence. A listener that falls behind the ring, or reconnects with an id that is too old or from an earlier
//! process, receives the event `reset` and must read the full state again. Does not own HTTP; see `stream.rs`.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use client::Environment;
use serde::Serialize;
use tokio::sync::watch;

use crate::http::shutdown::ShutdownSignal;

/// The name of the event after which a listener must read the full state again.
const RESET: &str = "reset";

/// The events of a service. Clones share them.
#[derive(Clone, Debug)]
pub struct EventRing {
    inner: Arc<EventsInner>,
}

#[derive(Debug)]
struct EventsInner {
    /// Random per process. It is part of every id, because sequence numbers start again with each process: without it,
    /// an id from before a restart would look valid and events would be skipped silently.
    run: u64,
    events_max: usize,
    buffer: Mutex<EventBuffer>,
    /// Wakes listeners. It carries the newest number only; events are read from the buffer.
    newest: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct EventBuffer {
    /// The sequence number of the newest event. The first event has number 1; the last entry of `events` has this one.
    newest: u64,
    events: VecDeque<StoredEvent>,
}

#[derive(Debug)]
struct StoredEvent {
    topic: Box<str>,
    name: &'static str,
    data: Arc<str>,
}

/// One event as a listener receives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerEvent {
    /// The id with which a listener continues after this event.
    pub id: EventId,
    /// The kind of event.
    pub name: &'static str,
    /// The data as JSON.
    pub data: Arc<str>,
}

/// The id of an event: the process and the sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventId {
    run: u64,
    number: u64,
}

impl ServerEvent {
    /// Whether events were lost, so that the listener must read the full state again.
    #[must_use]
    pub fn is_reset(&self) -> bool {
        self.name == RESET
    }
}

impl EventId {
    /// Parses what `Display` printed.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (run, number) = text.split_once('-')?;
        Some(Self { run: u64::from_str_radix(run, 16).ok()?, number: number.parse().ok()? })
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:x}-{}", self.run, self.number)
    }
}

impl EventRing {
    /// Creates a ring that holds the newest `events_max` events.
    #[must_use]
    pub fn new(environment: &Environment, events_max: usize) -> Self {
        let run = environment.random();
        let (newest, _) = watch::channel(0);
        let buffer = Mutex::default();
        let inner = EventsInner { run, events_max: events_max.max(1), buffer, newest };
        Self { inner: Arc::new(inner) }
    }

    /// Publishes an event to the listeners of a topic, now or when they reconnect.
    pub fn publish(&self, topic: &str, name: &'static str, data: &impl Serialize) {
        let data = match serde_json::to_string(data) {
            Ok(text) => text.into(),
            Err(error) => {
                tracing::error!(%error, name, "an event cannot be written as JSON and is dropped");
                return;
            }
        };
        let mut buffer = self.buffer();
        buffer.newest += 1;
        buffer.events.push_back(StoredEvent { topic: topic.into(), name, data });
        if buffer.events.len() > self.inner.events_max {
            buffer.events.pop_front();
        }
        let newest = buffer.newest;
        // Wake listeners after the lock is released: they take it at once.
        drop(buffer);
        self.inner.newest.send_replace(newest);
    }

    /// Reports that events were lost: current listeners, and those that reconnect with an older id, receive `reset`.
    pub fn reset(&self) {
        let mut buffer = self.buffer();
        // The gap takes a number of its own. Otherwise a listener that has every event before it would look up to date.
        buffer.newest += 1;
        buffer.events.clear();
        let newest = buffer.newest;
        drop(buffer);
        self.inner.newest.send_replace(newest);
    }

    /// Listens to a topic, after the event with the id `last` or from now on.
    #[must_use]
    pub fn listen(
        &self,
        topic: &str,
        last: Option<&str>,
        shutdown: &ShutdownSignal,
    ) -> EventListener {
        let newest = self.buffer().newest;
        let id = last.and_then(EventId::parse);
        let after = match (last, id) {
            (None, _) => Some(newest),
            // An id that we did not issue is treated like one that is too old: the listener gets `reset`.
            (_, Some(id)) if id.run == self.inner.run && id.number <= newest => Some(id.number),
            _ => None,
        };
        let changed = self.inner.newest.subscribe();
        let (topic, shutdown) = (topic.into(), shutdown.clone());
        EventListener { events: self.clone(), topic, after, changed, shutdown }
    }

    fn buffer(&self) -> MutexGuard<'_, EventBuffer> {
        self.inner.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Receives the events of one topic.
#[derive(Debug)]
pub struct EventListener {
    events: EventRing,
    topic: Box<str>,
    /// The number of the last event received, or passed over because of its topic; `None` if `reset` is due.
    after: Option<u64>,
    changed: watch::Receiver<u64>,
    shutdown: ShutdownSignal,
}

impl EventListener {
    /// The id from which this listener would continue; `None` if `reset` is due.
    #[must_use]
    pub fn position(&self) -> Option<EventId> {
        self.after.map(|number| EventId { run: self.events.inner.run, number })
    }

    /// Waits for the next event; `None` when the service shuts down.
    pub async fn next(&mut self) -> Option<ServerEvent> {
        loop {
            // Mark as seen before looking: an event published in between then wakes us again instead of being missed.
            self.changed.borrow_and_update();
            if let Some(event) = self.next_now() {
                return Some(event);
            }
            tokio::select! {
                () = self.shutdown.triggered() => return None,
                changed = self.changed.changed() => changed.ok()?,
            }
        }
    }

    /// The next event, if it has been published already.
    pub fn next_now(&mut self) -> Option<ServerEvent> {
        let buffer = self.events.buffer();
        let run = self.events.inner.run;
        // The numbers in the buffer are contiguous and end with `newest`, so the oldest follows from the length.
        let oldest = buffer.newest + 1 - buffer.events.len() as u64;
        let from = self.after.map(|after| after + 1).filter(|from| *from >= oldest);
        let Some(from) = from else {
            self.after = Some(buffer.newest);
            let id = EventId { run, number: buffer.newest };
            return Some(ServerEvent { id, name: RESET, data: "{}".into() });
        };
        let skip = usize::try_from(from - oldest).unwrap_or(usize::MAX);
        let mut unread = buffer.events.iter().zip(oldest..).skip(skip);
        let found = unread.find(|(event, _)| event.topic == self.topic);
        // Without a match, everything up to the newest belongs to other topics and is never scanned again.
        self.after = Some(found.as_ref().map_or(buffer.newest, |(_, number)| *number));
        found.map(|(event, number)| ServerEvent {
            id: EventId { run, number },
            name: event.name,
            data: Arc::clone(&event.data),
        })
    }
}
