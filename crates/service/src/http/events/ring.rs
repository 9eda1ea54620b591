//! The newest events of a service, in a ring of fixed length that all listeners read.
//!
//! Owns the order, the ids and the memory: an event is kept once, however many listen, and a listener is only a
//! position. One that falls off the ring, or comes back with an id that is too old or of an earlier run, gets `reset`:
//! read the whole again. Does not own HTTP; see `stream.rs`.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use client::Environment;
use serde::Serialize;
use tokio::sync::watch;

use crate::http::serve::Stop;

/// The name of the event that says: something was lost, read the whole again.
const RESET: &str = "reset";

/// The ring. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Events {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// Tells ids of this run from those of others.
    run: u64,
    kept_max: usize,
    ring: Mutex<Ring>,
    newest: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Ring {
    /// Number of the newest event; the first is 1.
    newest: u64,
    kept: VecDeque<Kept>,
}

#[derive(Debug)]
struct Kept {
    topic: Box<str>,
    name: &'static str,
    data: Arc<str>,
}

/// One event as a listener gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Where to go on after this one.
    pub id: Position,
    /// What kind it is.
    pub name: &'static str,
    /// Its JSON.
    pub data: Arc<str>,
}

/// A place in the ring of one run: the id of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    run: u64,
    number: u64,
}

impl Event {
    /// Whether it says that something was lost: read the whole again.
    #[must_use]
    pub fn is_reset(&self) -> bool {
        self.name == RESET
    }
}

impl Position {
    /// Reads what `Display` wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (run, number) = text.split_once('-')?;
        Some(Self { run: u64::from_str_radix(run, 16).ok()?, number: number.parse().ok()? })
    }
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:x}-{}", self.run, self.number)
    }
}

impl Events {
    /// A ring that keeps so many events.
    #[must_use]
    pub fn new(environment: &Environment, kept_max: usize) -> Self {
        let run = environment.random();
        let (newest, _) = watch::channel(0);
        let inner = Inner { run, kept_max: kept_max.max(1), ring: Mutex::default(), newest };
        Self { inner: Arc::new(inner) }
    }

    /// Tells everybody who listens to the topic, now or when they come back.
    pub fn publish(&self, topic: &str, name: &'static str, data: &impl Serialize) {
        let data = match serde_json::to_string(data) {
            Ok(text) => text.into(),
            Err(error) => {
                tracing::error!(%error, name, "an event cannot be written as JSON and is not told");
                return;
            }
        };
        let mut ring = self.ring();
        ring.newest += 1;
        ring.kept.push_back(Kept { topic: topic.into(), name, data });
        if ring.kept.len() > self.inner.kept_max {
            ring.kept.pop_front();
        }
        let newest = ring.newest;
        drop(ring);
        self.inner.newest.send_replace(newest);
    }

    /// Says that something was lost: everybody who listens, and who comes back with an id from before, gets `reset`.
    pub fn reset(&self) {
        let mut ring = self.ring();
        // The lost event has a number, so that nobody who has all before it has it too.
        ring.newest += 1;
        ring.kept.clear();
        let newest = ring.newest;
        drop(ring);
        self.inner.newest.send_replace(newest);
    }

    /// Listens to a topic: from where the listener was, or from now.
    #[must_use]
    pub fn listen(&self, topic: &str, last: Option<&str>, stop: &Stop) -> Listener {
        let newest = self.ring().newest;
        let known = last.and_then(Position::parse);
        let after = match (last, known) {
            (None, _) => Some(newest),
            // An id we did not give is like one that is too old.
            (_, Some(known)) if known.run == self.inner.run && known.number <= newest => {
                Some(known.number)
            }
            _ => None,
        };
        let changed = self.inner.newest.subscribe();
        Listener { events: self.clone(), topic: topic.into(), after, changed, stop: stop.clone() }
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.inner.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One who listens.
#[derive(Debug)]
pub struct Listener {
    events: Events,
    topic: Box<str>,
    /// The number it has got; none when that is not known any more.
    after: Option<u64>,
    changed: watch::Receiver<u64>,
    stop: Stop,
}

impl Listener {
    /// Where it is: the id of what it got last. None before a `reset`.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.after.map(|number| Position { run: self.events.inner.run, number })
    }

    /// The next event; none when the service stops.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            self.changed.borrow_and_update();
            if let Some(event) = self.next_now() {
                return Some(event);
            }
            tokio::select! {
                () = self.stop.stopped() => return None,
                changed = self.changed.changed() => changed.ok()?,
            }
        }
    }

    /// The next event, if it is there.
    pub fn next_now(&mut self) -> Option<Event> {
        let ring = self.events.ring();
        let run = self.events.inner.run;
        let oldest = ring.newest + 1 - ring.kept.len() as u64;
        let from = self.after.map(|after| after + 1).filter(|from| *from >= oldest);
        let Some(from) = from else {
            self.after = Some(ring.newest);
            let id = Position { run, number: ring.newest };
            return Some(Event { id, name: RESET, data: "{}".into() });
        };
        let skip = usize::try_from(from - oldest).unwrap_or(usize::MAX);
        let fresh = ring.kept.iter().zip(oldest..).skip(skip);
        let mine = fresh.into_iter().find(|(kept, _)| kept.topic == self.topic);
        self.after = Some(mine.as_ref().map_or(ring.newest, |(_, number)| *number));
        mine.map(|(kept, number)| Event {
            id: Position { run, number },
            name: kept.name,
            data: Arc::clone(&kept.data),
        })
    }
}
