//! The users and events of the benchmark, derived from their numbers.
//!
//! The outcomes depend on the mix alone, not on the order in which events are processed: dedupe windows are longer than
//! any run, and quiet hours last all day or not at all.
//!
//! Each tenth of the backlog concerns a tenth of the users with all of their events. So every tenth has the same mix of
//! outcomes and lists of the same length, and only the size of the backlog could make one more expensive than another.

use notifications::{Category, EventPayload, EventType, Platform, TargetType};

use crate::data::hash_number;

/// The seed of the data.
const SEED: u64 = 0x5EED_0003;

/// Number of parts in which the backlog is reported.
pub(super) const TENTHS: u64 = 10;

/// Callers that enqueue at once, and events each side works on at once: two workers with 16 users each.
pub(super) const CALLERS: usize = 32;

/// Minutes within which events of one dedupe key become one notification: longer than any run, as far as is allowed.
pub(super) const DEDUPE_MINUTES: u64 = 1_440;

/// Types of events and how many of a hundred they are.
const TYPES: [(EventType, u64); 9] = [
    (EventType::PostLike, 50),
    (EventType::PostComment, 18),
    (EventType::FollowerNew, 10),
    (EventType::CommentReply, 8),
    (EventType::PostShare, 5),
    (EventType::NewsSystemUpdate, 3),
    (EventType::SafetyContentFlagged, 2),
    (EventType::SecurityNewDevice, 2),
    (EventType::MarketingPromotion, 2),
];

/// Numbers of users and events.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mix {
    pub(super) people: u64,
    /// Of the backlog; numbers from here on are events of the steady part.
    pub(super) events: u64,
}

/// One user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Person {
    pub(super) id: String,
    pub(super) social: bool,
    pub(super) marketing: bool,
    /// All day long.
    pub(super) quiet: bool,
    pub(super) devices: Vec<Platform>,
}

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MixEvent {
    pub(super) user_id: String,
    pub(super) event_type: EventType,
    /// The target id contains the number of the event.
    pub(super) payload: EventPayload,
    pub(super) dedupe_key: String,
}

impl Mix {
    /// Events of the steady part.
    pub(super) fn steady_events(&self) -> u64 {
        (self.events / TENTHS).max(1)
    }

    pub(super) fn person(&self, number: u64) -> Person {
        let drawn = drawn(number, 1);
        let devices = match drawn / 10_000 % 10 {
            0..2 => Vec::new(),
            2..7 => vec![Platform::Fcm],
            _ => vec![Platform::Fcm, Platform::Apns],
        };
        Person {
            id: person_id(number),
            social: !drawn.is_multiple_of(10),
            quiet: (drawn / 10).is_multiple_of(10),
            marketing: (drawn / 100).is_multiple_of(5),
            devices,
        }
    }

    pub(super) fn event(&self, number: u64) -> MixEvent {
        let user = self.user_of(number);
        let drawn = drawn(number, 2);
        let event_type = event_type(drawn % 100);
        let actor = drawn / 100 % self.people;
        let (user_id, actor_id) = (person_id(user), person_id(actor));
        let is_of_a_popular_post =
            event_type == EventType::PostLike && (drawn / 1_000_000).is_multiple_of(2);
        let dedupe_key = match is_of_a_popular_post {
            true => format!("POST_LIKE:popular-post-of-{user_id}"),
            false => format!("{}:{actor_id}:{number}", event_type.name()),
        };
        let has_snippet = matches!(event_type, EventType::PostComment | EventType::CommentReply);
        MixEvent {
            user_id,
            event_type,
            payload: EventPayload {
                actor_id: Some(actor_id),
                actor_name: Some(format!("Person number {actor}")),
                target_id: number.to_string(),
                target_type: TargetType::Post,
                snippet: has_snippet.then(|| crate::data::text(drawn)),
                extra: serde_json::Map::new(),
            },
            dedupe_key,
        }
    }

    fn user_of(&self, number: u64) -> u64 {
        let drawn = drawn(number, 3);
        if number >= self.events {
            return drawn % self.people;
        }
        let tenth = number * TENTHS / self.events;
        let people = |tenth: u64| self.people * tenth / TENTHS;
        let (first, end) = (people(tenth), people(tenth + 1));
        first + drawn % (end - first).max(1)
    }
}

fn person_id(number: u64) -> String {
    format!("person-{number:06}")
}

fn drawn(number: u64, purpose: u64) -> u64 {
    hash_number(hash_number(SEED.wrapping_add(purpose)).wrapping_add(number))
}

fn event_type(percent: u64) -> EventType {
    let mut left = percent;
    for (event_type, share) in TYPES {
        if left < share {
            return event_type;
        }
        left -= share;
    }
    EventType::PostLike
}

/// The description of the mix in the report.
pub(super) fn description() -> String {
    let types = TYPES.map(|(event_type, share)| format!("{share} % {}", event_type.name()));
    format!(
        "{}; half of the likes are of one popular post of their user and have its dedupe key. One person in ten has \
         {} switched off, one in ten has quiet hours all day, one in five wants {}; a fifth has no device, half has \
         one (FCM), three tenths have two (FCM and APNs). Seed {SEED:#x}.",
        types.join(", "),
        Category::Social.name(),
        Category::Marketing.name(),
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const MIX: Mix = Mix { people: 200, events: 2_000 };

    #[test]
    fn shares_of_types_are_a_hundred_together() {
        assert_eq!(TYPES.iter().map(|(_, share)| share).sum::<u64>(), 100);
    }

    #[test]
    fn people_of_one_tenth_are_in_no_other() {
        let people = |tenth: u64| -> BTreeSet<String> {
            (tenth * 200..(tenth + 1) * 200).map(|n| MIX.event(n).user_id).collect()
        };
        for tenth in 0..9 {
            assert!(people(tenth).is_disjoint(&people(tenth + 1)), "{tenth}");
        }
    }

    #[test]
    fn every_kind_of_person_and_event_occurs() {
        let people: Vec<_> = (0..200).map(|number| MIX.person(number)).collect();
        assert!(people.iter().any(|person| !person.social) && people.iter().any(|p| p.quiet));
        assert!((0..3).all(|count| people.iter().any(|person| person.devices.len() == count)));
        let types: BTreeSet<_> = (0..2_000).map(|number| MIX.event(number).event_type).collect();
        assert_eq!(types.len(), TYPES.len());
    }
}
