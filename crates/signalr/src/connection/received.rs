//! What stateful reconnect keeps of the receiving direction: which numbered messages have been seen.
//!
//! Does not own the timer that sends acknowledgements; see `timers.rs`.

use crate::error::ProtocolError;
use crate::message::ClientMessage;

/// Counts numbered messages and recognises those that a client sent again after a reconnect.
#[derive(Debug)]
pub(super) struct ReceivedSequence {
    /// The number of the next message on this transport.
    next: i64,
    /// The largest number seen on any transport.
    newest: i64,
    /// The largest number that was acknowledged.
    acknowledged: i64,
}

impl ReceivedSequence {
    pub(super) fn new() -> Self {
        Self { next: 1, newest: 0, acknowledged: 0 }
    }

    /// Whether the message is new. A repeated one must not run twice.
    pub(super) fn accept(&mut self, message: &ClientMessage<'_>) -> Result<bool, ProtocolError> {
        if let ClientMessage::Sequence { sequence_id } = message {
            if *sequence_id > self.next {
                let text = "Sequence ID greater than amount of messages we've received.";
                return Err(ProtocolError::new(text));
            }
            self.next = *sequence_id;
            return Ok(true);
        }
        if !message.is_numbered() {
            return Ok(true);
        }
        let number = self.next;
        self.next += 1;
        let is_new = number > self.newest;
        self.newest = self.newest.max(number);
        Ok(is_new)
    }

    /// The number to acknowledge, if it has not been yet.
    pub(super) fn take_acknowledgement(&mut self) -> Option<i64> {
        let due = self.newest > self.acknowledged;
        self.acknowledged = self.newest;
        due.then_some(self.newest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cancel() -> ClientMessage<'static> {
        ClientMessage::CancelInvocation { invocation_id: "1".to_owned() }
    }

    #[test]
    fn a_message_sent_again_after_a_reconnect_is_not_new() {
        let mut received = ReceivedSequence::new();
        assert_eq!(received.take_acknowledgement(), None);
        assert!(received.accept(&cancel()).unwrap());
        assert!(received.accept(&ClientMessage::Ping).unwrap());
        assert!(received.accept(&cancel()).unwrap());
        assert_eq!(received.take_acknowledgement(), Some(2));
        assert_eq!(received.take_acknowledgement(), None);
        assert!(received.accept(&ClientMessage::Sequence { sequence_id: 2 }).unwrap());
        assert!(!received.accept(&cancel()).unwrap());
        assert!(received.accept(&cancel()).unwrap());
        assert_eq!(received.take_acknowledgement(), Some(3));
    }

    #[test]
    fn a_gap_in_the_numbers_is_an_error() {
        let mut received = ReceivedSequence::new();
        let error = received.accept(&ClientMessage::Sequence { sequence_id: 2 }).unwrap_err();
        assert_eq!(error.0, "Sequence ID greater than amount of messages we've received.");
    }
}
