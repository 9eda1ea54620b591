//! The messages of a measurement: who has got what, and how long the last receiver waited.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use crate::meter::now;

/// Marks the number of a message in its text.
const MARK: char = '#';
/// Digits of a number.
const DIGITS: usize = 10;
/// Text behind the number, to give messages the length of a chat line.
const FILLING: &str =
    "The quick brown fox jumps over the lazy dog, and then it writes a line of chat.";

/// The messages of one measurement.
pub(super) struct RoomBoard {
    messages: Vec<MessageInFlight>,
    /// Per room: how many more messages may be under way.
    pub(super) windows: Vec<Semaphore>,
    messages_per_room: usize,
    latencies: Mutex<Vec<Duration>>,
    left: AtomicUsize,
    pub(super) done: tokio::sync::Notify,
}

struct MessageInFlight {
    sent: OnceLock<Instant>,
    receivers_left: AtomicUsize,
}

impl RoomBoard {
    pub(super) fn new(rooms: usize, members: usize, messages: usize, window: usize) -> Self {
        let message =
            || MessageInFlight { sent: OnceLock::new(), receivers_left: AtomicUsize::new(members) };
        Self {
            messages: (0..rooms * messages).map(|_| message()).collect(),
            windows: (0..rooms).map(|_| Semaphore::new(window)).collect(),
            messages_per_room: messages,
            latencies: Mutex::default(),
            left: AtomicUsize::new(rooms * messages),
            done: tokio::sync::Notify::new(),
        }
    }

    /// The text of a message, sent now.
    pub(super) fn sending(&self, room: usize, number: usize) -> String {
        let index = room * self.messages_per_room + number;
        if let Some(message) = self.messages.get(index) {
            message.sent.get_or_init(now);
        }
        format!("{MARK}{index:0DIGITS$} {FILLING}")
    }

    /// A text has arrived at one receiver.
    pub(super) fn received(&self, text: &str) {
        for (at, _) in text.match_indices(MARK) {
            let digits = text.get(at + 1..at + 1 + DIGITS);
            let index = digits.and_then(|digits| digits.parse::<usize>().ok());
            let Some(index) = index else { continue };
            let Some(message) = self.messages.get(index) else { continue };
            if message.receivers_left.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.delivered(index, message);
            }
        }
    }

    fn delivered(&self, index: usize, message: &MessageInFlight) {
        if let Some(sent) = message.sent.get() {
            let latency = now().saturating_duration_since(*sent);
            self.latencies.lock().unwrap_or_else(PoisonError::into_inner).push(latency);
        }
        if let Some(window) = self.windows.get(index / self.messages_per_room) {
            window.add_permits(1);
        }
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.done.notify_one();
        }
    }

    /// From send to last receiver: median and 99th percentile.
    pub(super) fn percentiles(&self) -> (Duration, Duration) {
        let mut sorted = self.latencies.lock().unwrap_or_else(PoisonError::into_inner).clone();
        sorted.sort_unstable();
        let at = |percent: usize| {
            let index = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
            sorted.get(index).copied().unwrap_or_default()
        };
        (at(50), at(99))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_delivered_with_its_last_receiver() {
        let board = RoomBoard::new(2, 2, 3, 1);
        let text = format!("{{\"arguments\":[\"{}\"]}}", board.sending(1, 2));
        board.received(&text);
        assert_eq!(board.windows[1].available_permits(), 1);
        board.received(&text);
        assert_eq!(board.windows[1].available_permits(), 2);
        assert_eq!(board.latencies.lock().unwrap().len(), 1);
    }
}
