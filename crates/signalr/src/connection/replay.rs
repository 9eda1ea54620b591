//! What stateful reconnect keeps of the sending direction: numbered frames that the client has not acknowledged.
//!
//! Does not own the queue of what was never sent; see `outbox.rs`.

use std::collections::VecDeque;

use crate::message::{Frame, HubProtocol};

/// Sent frames from the oldest to the newest. Numbers start at 1 and have no gaps.
#[derive(Debug)]
pub(super) struct ReplayBuffer {
    frames: VecDeque<Frame>,
    bytes: usize,
    bytes_max: usize,
    /// The number of the newest frame.
    newest: i64,
}

impl ReplayBuffer {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { frames: VecDeque::new(), bytes: 0, bytes_max, newest: 0 }
    }

    /// Whether sending waits for an acknowledgement. One frame may pass the limit, or a frame larger than the limit
    /// could never be sent.
    pub(super) fn is_full(&self) -> bool {
        self.bytes >= self.bytes_max
    }

    pub(super) fn push(&mut self, frame: Frame) {
        self.newest += 1;
        self.bytes += frame.len();
        self.frames.push_back(frame);
    }

    /// Forgets the frames up to `sequence_id`. A number that was never sent acknowledges all.
    pub(super) fn acknowledge(&mut self, sequence_id: i64) {
        while self.oldest() <= sequence_id
            && let Some(frame) = self.frames.pop_front()
        {
            self.bytes -= frame.len();
        }
    }

    /// What a new transport sends first: the number of the next frame, then the frames that were not acknowledged.
    pub(super) fn resend(&self, protocol: HubProtocol) -> VecDeque<Frame> {
        let sequence = protocol.sequence(self.oldest());
        std::iter::once(sequence).chain(self.frames.iter().cloned()).collect()
    }

    fn oldest(&self) -> i64 {
        self.newest - self.frames.len() as i64 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resent(replay: &ReplayBuffer) -> Vec<String> {
        let text = |frame: &Frame| String::from_utf8_lossy(frame.as_bytes()).replace('\u{1e}', "");
        replay.resend(HubProtocol::Json).iter().map(text).collect()
    }

    #[test]
    fn frames_are_resent_from_the_first_that_was_not_acknowledged() {
        let mut replay = ReplayBuffer::new(20);
        assert_eq!(resent(&replay), ["{\"type\":9,\"sequenceId\":1}"]);
        for _ in 0..3 {
            replay.push(HubProtocol::Json.ping());
        }
        assert!(replay.is_full());
        replay.acknowledge(2);
        assert!(!replay.is_full());
        assert_eq!(resent(&replay), ["{\"type\":9,\"sequenceId\":3}", "{\"type\":6}"]);
        replay.acknowledge(99);
        assert_eq!(resent(&replay), ["{\"type\":9,\"sequenceId\":4}"]);
    }
}
