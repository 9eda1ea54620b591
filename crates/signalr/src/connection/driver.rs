//! The life of one connection: handshake, messages, timers, end.
//!
//! Does not own what a message causes (see `dispatch.rs`) nor the bytes on the network. Started by `transport` when the
//! first transport attaches.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::BytesMut;
use futures::future::BoxFuture;
use tokio::time::{Sleep, sleep_until};

use super::close::CloseCause;
use super::ending::end;
use super::hub_connection::{HubConnection, lock};
use super::inbox::{Inbound, TransportEnd};
use super::invocation::{OpenCalls, ReadyCall, Slots};
use super::opening::{Opened, shake_hands, wait_for_first_word};
use super::received::ReceivedSequence;
use super::timers::Timers;
use crate::error::ProtocolError;
use crate::hub::HubCore;
use crate::message::HubProtocol;

/// Runs a connection to its end.
pub(crate) async fn drive<S: Send + Sync + 'static>(
    core: Arc<HubCore<S>>,
    connection: Arc<HubConnection>,
) {
    let counted = core.shared.open.enter();
    let opened = tokio::select! {
        biased;
        () = connection.close_requested.notified() => None,
        opened = shake_hands(&connection, &core.shared.options) => opened,
    };
    if let Some(opened) = opened {
        let protocol = opened.protocol;
        wait_for_first_word(&connection, &opened).await;
        let cause = match core.connected(&connection, protocol).await {
            Err(error) => CloseCause::Refused(error),
            Ok(()) => ConnectionLoop::new(&core, &connection, opened).run().await,
        };
        end(&core, &connection, protocol, &cause).await;
    }
    connection.inbox.close();
    connection.outbox.finish();
    drop(counted);
    core.shared.sessions.release(&connection, core.shared.options.disconnect_timeout).await;
}

/// A connection between its handshake and its end.
pub(super) struct ConnectionLoop<S> {
    pub(super) core: Arc<HubCore<S>>,
    pub(super) connection: Arc<HubConnection>,
    pub(super) protocol: HubProtocol,
    /// Bytes that are not read yet: half a message, or messages that wait while reading is paused.
    buffer: BytesMut,
    /// Counts messages of the client, with stateful reconnect.
    received: Option<ReceivedSequence>,
    pub(super) open: Arc<OpenCalls>,
    pub(super) running: Arc<Slots>,
    pub(super) streams: Arc<Slots>,
    pub(super) waiting: VecDeque<ReadyCall>,
    /// An item of an upload stream that waits for room. Nothing is read until then.
    pub(super) parked: Option<BoxFuture<'static, ()>>,
    /// Cancellable calls without an id so far.
    pub(super) anonymous_calls: u64,
    timers: Timers,
}

enum Step {
    Closing,
    TransportChanged,
    TimerDue,
    SlotFreed,
    Unparked,
    Arrived(Inbound),
}

impl<S: Send + Sync + 'static> ConnectionLoop<S> {
    fn new(core: &Arc<HubCore<S>>, connection: &Arc<HubConnection>, opened: Opened) -> Self {
        Self {
            timers: Timers::new(&core.shared.options),
            core: Arc::clone(core),
            connection: Arc::clone(connection),
            protocol: opened.protocol,
            buffer: opened.rest,
            received: opened.stateful.then(ReceivedSequence::new),
            open: Arc::default(),
            running: Arc::default(),
            streams: Arc::default(),
            waiting: VecDeque::new(),
            parked: None,
            anonymous_calls: 0,
        }
    }

    async fn run(mut self) -> CloseCause {
        self.connection.is_reading.store(true, Ordering::Release);
        let mut sleep = Box::pin(sleep_until(self.timers.next(&self.connection)));
        let cause = loop {
            if let Err(error) = self.read_messages() {
                break error;
            }
            let step = self.next_step(sleep.as_mut()).await;
            if let Err(cause) = self.take_step(step, sleep.as_mut()) {
                break cause;
            }
        };
        self.connection.is_reading.store(false, Ordering::Release);
        // Streams and cancellable calls end; upload streams report that the connection is gone.
        lock(&self.open.cancels).clear();
        lock(&self.open.uploads).clear();
        cause
    }

    async fn next_step(&mut self, sleep: Pin<&mut Sleep>) -> Step {
        let reads = !self.is_paused();
        let connection = &self.connection;
        tokio::select! {
            biased;
            () = connection.close_requested.notified() => Step::Closing,
            () = connection.transport_changed.notified() => Step::TransportChanged,
            () = sleep => Step::TimerDue,
            () = self.running.freed.notified(), if !self.waiting.is_empty() => Step::SlotFreed,
            () = wait_for(&mut self.parked), if self.parked.is_some() => Step::Unparked,
            inbound = connection.inbox.next(), if reads => Step::Arrived(inbound),
        }
    }

    fn take_step(&mut self, step: Step, mut sleep: Pin<&mut Sleep>) -> Result<(), CloseCause> {
        match step {
            Step::Closing => {
                let cause = lock(&self.connection.closing).take();
                return Err(cause.unwrap_or(CloseCause::Aborted));
            }
            Step::TransportChanged => sleep.as_mut().reset(self.timers.next(&self.connection)),
            Step::TimerDue => {
                self.look_at_timers()?;
                sleep.as_mut().reset(self.timers.next(&self.connection));
            }
            Step::SlotFreed => {
                self.timers.received();
                self.start_waiting();
            }
            Step::Unparked => {
                self.timers.received();
                self.parked = None;
            }
            Step::Arrived(inbound) => self.arrived(inbound)?,
        }
        Ok(())
    }

    fn arrived(&mut self, inbound: Inbound) -> Result<(), CloseCause> {
        let options = &self.core.shared.options;
        match inbound {
            Inbound::Data(data) => {
                self.timers.received();
                self.buffer.extend_from_slice(&data);
            }
            Inbound::Oversize => {
                let error = ProtocolError::oversize(options.receive_message_bytes_max);
                return Err(CloseCause::Violation(error));
            }
            Inbound::Reattached => {
                self.timers.received();
                self.buffer.clear();
            }
            Inbound::Ended(TransportEnd::Lost) => return Err(CloseCause::TransportLost),
            Inbound::Ended(TransportEnd::Closed) if self.buffer.is_empty() => {
                return Err(CloseCause::TransportClosed);
            }
            Inbound::Ended(TransportEnd::Closed) => {
                let error = ProtocolError::new("Connection terminated while reading a message.");
                return Err(CloseCause::Violation(error));
            }
        }
        Ok(())
    }

    /// Takes whole messages off the buffer until it is empty or reading pauses.
    fn read_messages(&mut self) -> Result<(), CloseCause> {
        let bytes_max = self.core.shared.options.receive_message_bytes_max;
        while !self.buffer.is_empty() && !self.is_paused() {
            let split = self.protocol.split(&self.buffer, bytes_max);
            let Some((range, taken)) = split.map_err(CloseCause::Violation)? else { return Ok(()) };
            let record = self.buffer.split_to(taken).freeze();
            let content = record.get(range).unwrap_or_default();
            let message = self.protocol.parse(content).map_err(CloseCause::Violation)?;
            let is_new = match &mut self.received {
                Some(received) => received.accept(&message).map_err(CloseCause::Violation)?,
                None => true,
            };
            if is_new {
                self.dispatch(message)?;
            }
        }
        if self.buffer.is_empty() {
            // An idle connection holds no buffer.
            self.buffer = BytesMut::new();
        }
        Ok(())
    }

    fn look_at_timers(&mut self) -> Result<(), CloseCause> {
        let reads = !self.is_paused();
        let due = self.timers.look(&self.connection, reads);
        if due.abandoned {
            return Err(CloseCause::TransportLost);
        }
        if due.timed_out {
            return Err(CloseCause::TimedOut);
        }
        let number = self.received.as_mut().filter(|_| due.ack);
        if let Some(number) = number.and_then(ReceivedSequence::take_acknowledgement) {
            self.connection.outbox.push_control(self.protocol.ack(number));
        }
        if due.ping {
            self.connection.outbox.push_control(self.protocol.ping());
        }
        Ok(())
    }

    /// Whether the client has as much in work as it may.
    fn is_paused(&self) -> bool {
        let waiting_max = self.core.shared.options.waiting_invocations_max;
        self.parked.is_some() || self.waiting.len() >= waiting_max.max(1)
    }
}

async fn wait_for(parked: &mut Option<BoxFuture<'static, ()>>) {
    if let Some(parked) = parked {
        parked.await;
    }
}
