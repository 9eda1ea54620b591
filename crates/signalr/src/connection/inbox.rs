//! What a transport has received of one client and the connection has not read yet, bounded in bytes.
//!
//! Does not own splitting bytes into messages; see `driver.rs`.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;

/// Something that a transport reports.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Inbound {
    Data(Bytes),
    /// A message that the transport refused to collect, because it is larger than any message may be.
    Oversize,
    /// Another transport continues the connection; half a message of the old one is void.
    Reattached,
    /// No more data comes.
    Ended(TransportEnd),
}

/// Why no more data comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransportEnd {
    /// The client ended the transport in an orderly way.
    Closed,
    /// The transport broke, or the client did not come back in time.
    Lost,
}

/// The queue of one connection, with one reader.
#[derive(Debug)]
pub(crate) struct Inbox {
    bytes_max: usize,
    state: Mutex<InboxState>,
    ready: Notify,
    room: Notify,
}

#[derive(Debug, Default)]
struct InboxState {
    queue: VecDeque<Inbound>,
    bytes: usize,
    ended: bool,
}

impl Inbox {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, state: Mutex::default(), ready: Notify::new(), room: Notify::new() }
    }

    /// Adds data regardless of the bound: the transport asked for room before it read. False: the connection has ended.
    pub(crate) fn push(&self, inbound: Inbound) -> bool {
        let mut state = self.lock();
        if state.ended {
            return false;
        }
        if let Inbound::Data(data) = &inbound {
            state.bytes += data.len();
        }
        state.ended = matches!(inbound, Inbound::Ended(_));
        state.queue.push_back(inbound);
        drop(state);
        self.ready.notify_one();
        true
    }

    /// Waits until there is room. Returns at once when the connection has ended, so that the transport finds out.
    pub(crate) async fn room(&self) {
        loop {
            let room = self.room.notified();
            if self.has_room() {
                return;
            }
            room.await;
        }
    }

    /// The next thing, when there is one.
    pub(super) async fn next(&self) -> Inbound {
        loop {
            if let Some(inbound) = self.pop() {
                return inbound;
            }
            self.ready.notified().await;
        }
    }

    /// Waits until there is something, and leaves it there.
    pub(super) async fn arrived(&self) {
        while self.lock().queue.is_empty() {
            self.ready.notified().await;
        }
    }

    /// The connection reads no more.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.ended = true;
        state.queue.clear();
        drop(state);
        self.room.notify_waiters();
    }

    fn has_room(&self) -> bool {
        let state = self.lock();
        state.bytes < self.bytes_max || state.ended
    }

    fn pop(&self) -> Option<Inbound> {
        let mut state = self.lock();
        let inbound = state.queue.pop_front()?;
        if let Inbound::Data(data) = &inbound {
            state.bytes -= data.len();
            drop(state);
            self.room.notify_waiters();
        }
        Some(inbound)
    }

    fn lock(&self) -> MutexGuard<'_, InboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
