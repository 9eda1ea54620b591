//! Ids as UUID texts: drawn, or derived from what they stand for.
//!
//! A derived id is the same every time, so that doing a thing twice meets the item of the first time. Both kinds look
//! like version 4, as the stored form says.

use client::Environment;

/// A new id.
pub(crate) fn random_id(environment: &Environment) -> String {
    let random = || u128::from(environment.random());
    uuid_text((random() << 64) | random())
}

/// The id of the notification that an event leads to.
pub(crate) fn notification_id(event_id: &str) -> String {
    derived_id("notification", event_id)
}

/// The id of the event that a send with this idempotency key leads to, for one user.
pub(crate) fn event_id(user: &super::UserId, idempotency_key: &str) -> String {
    derived_id("event", &format!("{}\n{idempotency_key}", user.as_str()))
}

fn derived_id(purpose: &str, of: &str) -> String {
    let text = format!("{purpose}\n{of}");
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    let number = digest.as_ref().iter().take(16);
    uuid_text(number.fold(0u128, |number, byte| (number << 8) | u128::from(*byte)))
}

/// 8-4-4-4-12 digits, with the bits that say version 4.
fn uuid_text(number: u128) -> String {
    let number = (number & !(0xF << 76) & !(0b11 << 62)) | (4 << 76) | (0b10 << 62);
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        number >> 96,
        (number >> 80) & 0xFFFF,
        (number >> 64) & 0xFFFF,
        (number >> 48) & 0xFFFF,
        number & 0xFFFF_FFFF_FFFF
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_look_like_version_4() {
        assert_eq!(uuid_text(0), "00000000-0000-4000-8000-000000000000");
        assert_eq!(uuid_text(u128::MAX), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }

    #[test]
    fn a_derived_id_is_the_same_every_time_and_another_for_another_thing() {
        assert_eq!(notification_id("a"), notification_id("a"));
        assert_ne!(notification_id("a"), notification_id("b"));
        assert_ne!(notification_id("a"), derived_id("event", "a"));
    }
}
