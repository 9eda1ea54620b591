//! What waits to be sent to one client, bounded in bytes and messages.
//!
//! A broadcast never waits: a full outbox means that the client is too slow, and its connection closes. Answers to the
//! client's own calls wait for room, which delays nobody else. With stateful reconnect, frames move to the replay
//! buffer when a transport takes them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::replay::ReplayBuffer;
use crate::message::{Frame, HubProtocol};

/// The bounds of an outbox.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutboxLimits {
    pub(crate) bytes_max: usize,
    pub(crate) messages_max: usize,
}

/// The queue of one connection.
#[derive(Debug)]
pub(crate) struct Outbox {
    limits: OutboxLimits,
    state: Mutex<OutboxState>,
    /// There may be something to take.
    ready: Notify,
    /// There may be room.
    room: Notify,
}

#[derive(Debug, Default)]
struct OutboxState {
    /// Sent before everything else: what a reconnect repeats.
    resend: VecDeque<Frame>,
    queue: VecDeque<QueuedFrame>,
    queued_bytes: usize,
    replay: Option<ReplayBuffer>,
    /// Nothing more is accepted; what is queued is still sent.
    finished: bool,
    /// Which transport may take frames. An older one finds a higher number and ends.
    generation: u64,
}

#[derive(Debug)]
struct QueuedFrame {
    frame: Frame,
    /// Whether stateful reconnect numbers it.
    numbered: bool,
}

/// Whether a frame was queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offered {
    Accepted,
    Full,
    Finished,
}

/// What a transport got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    Frames,
    /// Nothing to send now.
    Nothing,
    /// Everything was sent and nothing more will come.
    Finished,
    /// Another transport has taken over.
    Replaced,
}

impl Outbox {
    pub(super) fn new(limits: OutboxLimits) -> Self {
        Self { limits, state: Mutex::default(), ready: Notify::new(), room: Notify::new() }
    }

    /// Queues a frame that counts for stateful reconnect, unless there is no room.
    pub(super) fn offer(&self, frame: Frame) -> Offered {
        let mut state = self.lock();
        if state.finished {
            return Offered::Finished;
        }
        if state.queued_bytes + frame.len() > self.limits.bytes_max && !state.queue.is_empty()
            || state.queue.len() >= self.limits.messages_max
        {
            return Offered::Full;
        }
        state.push(frame, true);
        drop(state);
        self.ready.notify_one();
        Offered::Accepted
    }

    /// Queues a frame that counts for stateful reconnect as soon as there is room.
    /// False: the connection has ended.
    pub(super) async fn send(&self, frame: Frame) -> bool {
        loop {
            let room = self.room.notified();
            match self.offer(frame.clone()) {
                Offered::Accepted => return true,
                Offered::Finished => return false,
                Offered::Full => room.await,
            }
        }
    }

    /// Queues a frame that belongs to the transport, such as a ping. Such frames are few and small, so they need no
    /// room.
    pub(super) fn push_control(&self, frame: Frame) {
        let mut state = self.lock();
        if !state.finished {
            state.push(frame, false);
            drop(state);
            self.ready.notify_one();
        }
    }

    /// Drops everything that waits, for a client that does not read.
    pub(super) fn clear(&self) {
        let mut state = self.lock();
        state.queue.clear();
        state.resend.clear();
        state.queued_bytes = 0;
    }

    /// Ends the queue: what is in it is sent, nothing more is accepted.
    pub(super) fn finish(&self) {
        self.lock().finished = true;
        self.ready.notify_one();
        self.room.notify_waiters();
    }

    /// Starts numbering, before the first numbered frame.
    pub(super) fn enable_replay(&self, bytes_max: usize) {
        self.lock().replay = Some(ReplayBuffer::new(bytes_max));
    }

    pub(super) fn acknowledge(&self, sequence_id: i64) {
        if let Some(replay) = &mut self.lock().replay {
            replay.acknowledge(sequence_id);
        }
        self.ready.notify_one();
    }

    /// Makes a transport the one that takes frames, and says by which number it is known. `protocol` is known after
    /// the handshake, and only then there is something to repeat.
    pub(super) fn attach(&self, protocol: Option<HubProtocol>) -> u64 {
        let mut state = self.lock();
        state.generation += 1;
        if let (Some(replay), Some(protocol)) = (&state.replay, protocol) {
            state.resend = replay.resend(protocol);
        }
        let generation = state.generation;
        drop(state);
        // The replaced transport wakes and ends; the new one looks before it waits.
        self.ready.notify_waiters();
        generation
    }

    pub(super) fn is_current(&self, generation: u64) -> bool {
        self.lock().generation == generation
    }

    /// Moves frames to `batch`, at most about `bytes_max` bytes.
    pub(crate) fn take(&self, generation: u64, batch: &mut Vec<Frame>, bytes_max: usize) -> Taken {
        let mut state = self.lock();
        if state.generation != generation {
            drop(state);
            // This transport may have swallowed the wake-up of its successor.
            self.ready.notify_one();
            return Taken::Replaced;
        }
        let mut bytes = 0;
        while bytes < bytes_max {
            let Some(frame) = state.pop() else { break };
            bytes += frame.len();
            batch.push(frame);
        }
        if bytes > 0 {
            drop(state);
            self.room.notify_waiters();
            return Taken::Frames;
        }
        match state.finished && state.queue.is_empty() {
            true => Taken::Finished,
            false => Taken::Nothing,
        }
    }

    /// Waits until there may be something to take. May return early.
    pub(crate) async fn ready(&self) {
        self.ready.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, OutboxState> {
        // A panic while the lock is held leaves a queue that is still a queue.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OutboxState {
    fn push(&mut self, frame: Frame, numbered: bool) {
        self.queued_bytes += frame.len();
        self.queue.push_back(QueuedFrame { frame, numbered });
    }

    fn pop(&mut self) -> Option<Frame> {
        if let Some(frame) = self.resend.pop_front() {
            return Some(frame);
        }
        let numbered = self.queue.front()?.numbered;
        let waits = self.replay.as_ref().is_some_and(ReplayBuffer::is_full);
        // The last messages of a connection that ends cannot be repeated, so they need no room for it.
        if numbered && waits && !self.finished {
            return None;
        }
        let QueuedFrame { frame, numbered } = self.queue.pop_front()?;
        self.queued_bytes -= frame.len();
        if let Some(replay) = &mut self.replay
            && numbered
        {
            replay.push(frame.clone());
        }
        if self.queue.is_empty() {
            // An idle connection holds no buffer from its busiest moment.
            self.queue.shrink_to(16);
        }
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROTOCOL: HubProtocol = HubProtocol::Json;

    fn outbox(messages_max: usize) -> Outbox {
        Outbox::new(OutboxLimits { bytes_max: 1000, messages_max })
    }

    fn taken(outbox: &Outbox, generation: u64) -> (Taken, usize) {
        let mut batch = Vec::new();
        let taken = outbox.take(generation, &mut batch, usize::MAX);
        (taken, batch.len())
    }

    #[test]
    fn a_full_outbox_accepts_nothing_and_an_ended_one_sends_what_it_has() {
        let outbox = outbox(2);
        let generation = outbox.attach(None);
        assert_eq!(taken(&outbox, generation), (Taken::Nothing, 0));
        assert_eq!(outbox.offer(PROTOCOL.ping()), Offered::Accepted);
        assert_eq!(outbox.offer(PROTOCOL.ping()), Offered::Accepted);
        assert_eq!(outbox.offer(PROTOCOL.ping()), Offered::Full);
        outbox.finish();
        assert_eq!(outbox.offer(PROTOCOL.ping()), Offered::Finished);
        assert_eq!(taken(&outbox, generation), (Taken::Frames, 2));
        assert_eq!(taken(&outbox, generation), (Taken::Finished, 0));
    }

    #[test]
    fn the_bound_in_bytes_holds_and_a_single_large_message_passes() {
        let outbox = Outbox::new(OutboxLimits { bytes_max: 15, messages_max: 100 });
        assert_eq!(outbox.offer(PROTOCOL.close(None, true)), Offered::Accepted);
        assert_eq!(outbox.offer(PROTOCOL.ping()), Offered::Full);
    }

    #[test]
    fn a_new_transport_repeats_what_was_not_acknowledged_and_replaces_the_old_one() {
        let outbox = outbox(10);
        outbox.enable_replay(1000);
        let first = outbox.attach(None);
        outbox.offer(PROTOCOL.ping());
        outbox.offer(PROTOCOL.ping());
        assert_eq!(taken(&outbox, first), (Taken::Frames, 2));
        outbox.acknowledge(1);
        let second = outbox.attach(Some(PROTOCOL));
        assert_eq!(taken(&outbox, first), (Taken::Replaced, 0));
        // The sequence message and the second ping.
        assert_eq!(taken(&outbox, second), (Taken::Frames, 2));
    }

    #[test]
    fn a_full_replay_buffer_holds_numbered_frames_back() {
        let outbox = outbox(10);
        outbox.enable_replay(1);
        let generation = outbox.attach(None);
        outbox.offer(PROTOCOL.ping());
        outbox.offer(PROTOCOL.ping());
        assert_eq!(taken(&outbox, generation), (Taken::Frames, 1));
        assert_eq!(taken(&outbox, generation), (Taken::Nothing, 0));
        outbox.acknowledge(1);
        assert_eq!(taken(&outbox, generation), (Taken::Frames, 1));
    }
}
