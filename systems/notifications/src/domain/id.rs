//! Ids as UUIDs: random, or derived from what they identify.
//!
//! A derived id is the same every time, so a repeated operation meets the item that it wrote the first time. Both kinds
//! have the form of version 4, as the stored form requires.

use client::Environment;
use uuid::{Builder, Uuid};

/// A new id.
pub(crate) fn random_id(environment: &Environment) -> String {
    let random = || u128::from(environment.random());
    version_4(((random() << 64) | random()).to_be_bytes()).to_string()
}

/// The id of the notification of an event.
pub(crate) fn notification_id(event_id: &str) -> String {
    derived_id("notification", event_id)
}

/// The id of the event that was sent to a user with this idempotency key.
pub(crate) fn event_id(user: &super::UserId, idempotency_key: &str) -> String {
    derived_id("event", &format!("{}\n{idempotency_key}", user.as_str()))
}

/// The first half of a SHA-256. The purpose keeps ids of different kinds apart.
fn derived_id(purpose: &str, source: &str) -> String {
    let text = format!("{purpose}\n{source}");
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    let mut bytes = [0; 16];
    for (byte, digest) in bytes.iter_mut().zip(digest.as_ref()) {
        *byte = *digest;
    }
    version_4(bytes).to_string()
}

/// Sets the bits of the version and the variant.
fn version_4(bytes: [u8; 16]) -> Uuid {
    Builder::from_random_bytes(bytes).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_form_of_version_4() {
        let text = |byte| version_4([byte; 16]).to_string();
        assert_eq!(text(0), "00000000-0000-4000-8000-000000000000");
        assert_eq!(text(0xFF), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }

    #[test]
    fn a_derived_id_is_the_same_every_time_and_another_for_another_thing() {
        // Ids of stored notifications must never change.
        assert_eq!(notification_id("a"), NOTIFICATION_ID_OF_A);
        assert_ne!(notification_id("a"), notification_id("b"));
        assert_ne!(notification_id("a"), derived_id("event", "a"));
    }

    const NOTIFICATION_ID_OF_A: &str = "bd0c2982-ea3b-43c4-9a96-ee52cfe9a757";
}
