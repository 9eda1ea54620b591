//! The state of one connection that transports, broadcasts and hub methods share.
//!
//! Does not own its life, which the driver runs, nor the queues' rules.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use axum::http::Extensions;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::close::CloseCause;
use super::inbox::{Inbound, Inbox, TransportEnd};
use super::outbox::{Offered, Outbox, OutboxLimits, Taken};
use crate::ids::ConnectionId;
use crate::message::{Frame, HubProtocol};

/// What carries a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransportKind {
    WebSockets,
    ServerSentEvents,
    LongPolling,
}

/// Who connected, from the request that opened the first transport.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestIdentity {
    pub(crate) user: Option<Arc<str>>,
    pub(crate) extensions: Extensions,
}

/// Whether a transport may carry a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attachment {
    /// It may, under this number. `first`: the connection starts now.
    Attached { generation: u64, first: bool },
    /// Another transport of the same kind carries it.
    AlreadyActive,
    /// It was started on another kind of transport.
    OtherTransport,
    /// Its user is another one.
    OtherUser,
}

/// One connection.
#[derive(Debug)]
pub(crate) struct HubConnection {
    pub(crate) id: ConnectionId,
    pub(crate) token: Arc<str>,
    pub(crate) inbox: Inbox,
    pub(crate) outbox: Outbox,
    pub(super) transport: Mutex<TransportState>,
    /// The transport came, went or was replaced.
    pub(super) transport_changed: Notify,
    identity: OnceLock<RequestIdentity>,
    protocol: OnceLock<HubProtocol>,
    pub(super) closing: Mutex<Option<CloseCause>>,
    pub(super) close_requested: Notify,
    /// Whether the driver reads messages, so that results of the client can arrive.
    pub(crate) is_reading: AtomicBool,
    pub(crate) groups: Mutex<HashSet<Arc<str>>>,
    /// Values that a hub keeps for the connection.
    pub(crate) items: Mutex<Extensions>,
    /// Ids of invocations of the client that wait for its result.
    pub(crate) awaited: Mutex<HashSet<String>>,
}

#[derive(Debug)]
pub(super) struct TransportState {
    pub(super) kind: Option<TransportKind>,
    /// Whether the client asked for stateful reconnect and the handshake allows it.
    pub(super) stateful: bool,
    /// Since when no transport carries the connection.
    pub(super) detached_at: Option<Instant>,
    attached: bool,
}

impl HubConnection {
    pub(crate) fn new(
        id: ConnectionId,
        token: Arc<str>,
        limits: OutboxLimits,
        inbox_bytes_max: usize,
        stateful: bool,
    ) -> Self {
        Self {
            id,
            token,
            inbox: Inbox::new(inbox_bytes_max),
            outbox: Outbox::new(limits),
            transport: Mutex::new(TransportState {
                kind: None,
                stateful,
                detached_at: None,
                attached: false,
            }),
            transport_changed: Notify::new(),
            identity: OnceLock::new(),
            protocol: OnceLock::new(),
            closing: Mutex::default(),
            close_requested: Notify::new(),
            is_reading: AtomicBool::new(false),
            groups: Mutex::default(),
            items: Mutex::default(),
            awaited: Mutex::default(),
        }
    }

    /// Lets a transport carry the connection, if it may.
    pub(crate) fn attach(&self, kind: TransportKind, identity: RequestIdentity) -> Attachment {
        let mut transport = lock(&self.transport);
        let continues = kind == TransportKind::LongPolling || transport.stateful;
        match transport.kind {
            Some(before) if before != kind => return Attachment::OtherTransport,
            Some(_) if transport.attached && !continues => return Attachment::AlreadyActive,
            _ => {}
        }
        let first = transport.kind.is_none();
        let user = identity.user.clone();
        if self.identity.get_or_init(|| identity).user != user {
            return Attachment::OtherUser;
        }
        transport.kind = Some(kind);
        transport.attached = true;
        transport.detached_at = None;
        if !first && kind == TransportKind::WebSockets {
            // Under the lock of the transport, so that data of the new one comes behind it.
            self.inbox.push(Inbound::Reattached);
        }
        let repeats = (kind == TransportKind::WebSockets).then(|| self.protocol.get().copied());
        let generation = self.outbox.attach(repeats.flatten());
        drop(transport);
        self.transport_changed.notify_one();
        Attachment::Attached { generation, first }
    }

    /// The transport with this number has ended.
    pub(crate) fn detach(&self, generation: u64, end: TransportEnd) {
        let mut transport = lock(&self.transport);
        if !self.outbox.is_current(generation) {
            return;
        }
        transport.attached = false;
        let polls = transport.kind == Some(TransportKind::LongPolling);
        let returns = polls || (transport.stateful && end == TransportEnd::Lost);
        if returns {
            transport.detached_at = Some(Instant::now());
        }
        drop(transport);
        match returns {
            true => self.transport_changed.notify_one(),
            false => drop(self.inbox.push(Inbound::Ended(end))),
        }
    }

    /// Waits for frames to send. `Taken::Nothing` is never returned.
    pub(crate) async fn next_frames(
        &self,
        generation: u64,
        batch: &mut Vec<Frame>,
        bytes_max: usize,
    ) -> Taken {
        loop {
            match self.outbox.take(generation, batch, bytes_max) {
                Taken::Nothing => self.outbox.ready().await,
                taken => return taken,
            }
        }
    }

    pub(crate) fn transport_kind(&self) -> Option<TransportKind> {
        lock(&self.transport).kind
    }

    pub(crate) fn identity(&self) -> Option<&RequestIdentity> {
        self.identity.get()
    }

    pub(crate) fn user(&self) -> Option<&Arc<str>> {
        self.identity.get()?.user.as_ref()
    }

    /// The encoding, once the handshake is done.
    pub(crate) fn protocol(&self) -> Option<HubProtocol> {
        self.protocol.get().copied()
    }

    pub(super) fn set_protocol(&self, protocol: HubProtocol) {
        // The handshake runs once.
        let _ = self.protocol.set(protocol);
    }

    /// Queues a message of a broadcast. A client without room for it is too slow and loses its connection.
    pub(crate) fn deliver(&self, frame: Frame) {
        if self.outbox.offer(frame) == Offered::Full {
            tracing::debug!(connection = %self.id, "the client is too slow and is disconnected");
            self.close(CloseCause::TooSlow);
        }
    }

    /// Ends the connection. The first cause counts.
    pub(crate) fn close(&self, cause: CloseCause) {
        let mut closing = lock(&self.closing);
        if closing.is_none() {
            *closing = Some(cause);
        }
        drop(closing);
        self.close_requested.notify_one();
    }

    pub(crate) fn is_reading(&self) -> bool {
        self.is_reading.load(Ordering::Acquire)
    }
}

/// A panic while one of these locks is held leaves a value that is still whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
