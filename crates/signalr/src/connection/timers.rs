//! When a connection pings, acknowledges, and gives its client up.
//!
//! The timers are looked at when the earliest is due and not reset by every message, so a busy connection costs none.

use tokio::time::{Duration, Instant};

use super::hub_connection::{HubConnection, TransportKind, lock};
use crate::options::HubOptions;

/// How often a client with stateful reconnect hears what has arrived.
const ACK_INTERVAL: Duration = Duration::from_secs(1);

/// What is due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Due {
    pub(super) ping: bool,
    pub(super) ack: bool,
    /// The client sent nothing for too long.
    pub(super) timed_out: bool,
    /// The client has not come back with a new transport.
    pub(super) abandoned: bool,
}

/// The deadlines of one connection.
#[derive(Debug)]
pub(super) struct Timers {
    keep_alive_interval: Duration,
    client_timeout: Duration,
    disconnect_timeout: Duration,
    next_ping: Instant,
    next_ack: Instant,
    last_received: Instant,
}

impl Timers {
    pub(super) fn new(options: &HubOptions) -> Self {
        let now = Instant::now();
        Self {
            keep_alive_interval: options.keep_alive_interval,
            client_timeout: options.client_timeout,
            disconnect_timeout: options.disconnect_timeout,
            next_ping: now + options.keep_alive_interval,
            next_ack: now + ACK_INTERVAL,
            last_received: now,
        }
    }

    /// The client is there.
    pub(super) fn received(&mut self) {
        self.last_received = Instant::now();
    }

    /// When to look again.
    pub(super) fn next(&self, connection: &HubConnection) -> Instant {
        let transport = lock(&connection.transport);
        let mut next = self.last_received + self.client_timeout;
        if transport.kind != Some(TransportKind::LongPolling) {
            next = next.min(self.next_ping);
        }
        if transport.stateful {
            next = next.min(self.next_ack);
        }
        if let Some(detached_at) = transport.detached_at {
            next = next.min(detached_at + self.disconnect_timeout);
        }
        next
    }

    /// What is due now. `reads`: whether the client could have been heard.
    pub(super) fn look(&mut self, connection: &HubConnection, reads: bool) -> Due {
        let now = Instant::now();
        if !reads {
            self.last_received = now;
        }
        let mut due =
            Due { timed_out: now >= self.last_received + self.client_timeout, ..Due::default() };
        let transport = lock(&connection.transport);
        due.abandoned = transport.detached_at.is_some_and(|at| now >= at + self.disconnect_timeout);
        due.ack = transport.stateful && now >= self.next_ack;
        if due.ack {
            self.next_ack = now + ACK_INTERVAL;
        }
        // A poll that ends without data keeps the connection alive by itself.
        let pings = transport.kind != Some(TransportKind::LongPolling);
        drop(transport);
        // Regardless of other messages, as in the official server: a ping that waits for silence could come nearly two
        // intervals after the last message, when the client has given up.
        due.ping = pings && now >= self.next_ping;
        if due.ping {
            self.next_ping = now + self.keep_alive_interval;
        }
        due
    }
}
