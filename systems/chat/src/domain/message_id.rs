//! Ids of messages: the decimal text of a random number, or texts that sort by time.
//!
//! A message with a correlation id gets its number from a hash of it, so that the same message, sent again after a lost
//! answer, meets itself instead of being stored twice. Does not own what happens on a conflict (`repository`).

use client::Environment;
use ring::digest;

use super::{RoomName, UserName};
use crate::settings::MessageIdStrategy;

/// The characters of an id that sorts by time.
pub(crate) const ULID_CHARS: usize = 26;
const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Numbers go from 1 to this.
const NUMBER_MAX: u64 = 2_147_483_647;

/// For whom an id is drawn.
#[derive(Clone, Copy, Debug)]
pub struct MessageIdRequest<'a> {
    /// The room.
    pub room: &'a RoomName,
    /// The sender.
    pub from: &'a UserName,
    /// The sender's own id of the message.
    pub correlation_id: Option<&'a str>,
    /// 0 for the first id, 1 after the first conflict, and so on.
    pub attempt: u32,
}

/// Draws ids of messages.
pub trait MessageIds: Send + Sync {
    /// An id, or another one for a later attempt.
    fn draw(&self, request: MessageIdRequest<'_>) -> String;
}

/// Ids of the settings.
#[derive(Clone, Debug)]
pub struct RandomMessageIds {
    environment: Environment,
    strategy: MessageIdStrategy,
}

impl RandomMessageIds {
    /// Draws by this strategy.
    #[must_use]
    pub fn new(environment: Environment, strategy: MessageIdStrategy) -> Self {
        Self { environment, strategy }
    }
}

impl MessageIds for RandomMessageIds {
    fn draw(&self, request: MessageIdRequest<'_>) -> String {
        match (self.strategy, request.correlation_id) {
            (MessageIdStrategy::Ulid, _) => ulid(&self.environment),
            (MessageIdStrategy::Random, Some(correlation_id)) => hashed(request, correlation_id),
            (MessageIdStrategy::Random, None) => number(self.environment.random()),
        }
    }
}

fn number(random: u64) -> String {
    (random % NUMBER_MAX + 1).to_string()
}

fn hashed(request: MessageIdRequest<'_>, correlation_id: &str) -> String {
    let mut context = digest::Context::new(&digest::SHA256);
    let attempt = request.attempt.to_string();
    let parts = [request.room.as_str(), request.from.as_str(), correlation_id, attempt.as_str()];
    for part in parts {
        // With its length, so that no two lists of parts have the same bytes.
        context.update(part.len().to_string().as_bytes());
        context.update(b":");
        context.update(part.as_bytes());
    }
    let digest = context.finish();
    let eight = digest.as_ref().iter().take(8);
    number(eight.fold(0, |all, byte| all << 8 | u64::from(*byte)))
}

/// 48 bits of time and 80 random bits, in 26 characters.
fn ulid(environment: &Environment) -> String {
    let time = u128::from(environment.now().0 & 0xFFFF_FFFF_FFFF);
    let random = u128::from(environment.random()) << 64 | u128::from(environment.random());
    let value = time << 80 | (random & ((1 << 80) - 1));
    let digit = |place: usize| {
        let index = usize::try_from(value >> (5 * (ULID_CHARS - 1 - place)) & 31).unwrap_or(0);
        char::from(CROCKFORD.get(index).copied().unwrap_or(b'0'))
    };
    (0..ULID_CHARS).map(digit).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use client::{TimestampMs, TravellingClock};

    use super::*;

    fn draw(strategy: MessageIdStrategy, correlation_id: Option<&str>, attempt: u32) -> String {
        let clock = TravellingClock::starting_at(TimestampMs(1_700_000_000_000));
        let ids = RandomMessageIds::new(Environment::travelling(Arc::clone(&clock), 7), strategy);
        let (room, from) = (RoomName::parse("general").unwrap(), UserName::parse("a").unwrap());
        ids.draw(MessageIdRequest { room: &room, from: &from, correlation_id, attempt })
    }

    #[test]
    fn a_number_is_in_its_range_and_a_correlation_id_repeats_it() {
        let first = draw(MessageIdStrategy::Random, Some("c1"), 0);
        assert_eq!(first, draw(MessageIdStrategy::Random, Some("c1"), 0));
        assert_ne!(first, draw(MessageIdStrategy::Random, Some("c1"), 1));
        assert_ne!(first, draw(MessageIdStrategy::Random, Some("c2"), 0));
        for correlation_id in [None, Some("x")] {
            let number: u64 = draw(MessageIdStrategy::Random, correlation_id, 0).parse().unwrap();
            assert!((1..=NUMBER_MAX).contains(&number));
        }
        assert_eq!(
            (number(NUMBER_MAX), number(NUMBER_MAX - 1)),
            ("1".into(), NUMBER_MAX.to_string())
        );
    }

    #[test]
    fn a_ulid_begins_with_the_time() {
        let id = draw(MessageIdStrategy::Ulid, Some("c1"), 0);
        assert_eq!((id.len(), id.get(..10)), (26, Some("01HF7YAT00")));
    }
}
