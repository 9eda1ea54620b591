//! The proof that an address belongs to the user who registers it.
//!
//! Owns the code, its stored form and how long it is valid. Does not own sending it (`delivery`) or the registration
//! (`action/device`).

use std::time::Duration;

use client::Environment;
use serde::{Deserialize, Serialize};

use super::{Platform, UtcTimestamp};

/// How long a code is valid.
const LIFE: Duration = Duration::from_secs(3600);
/// Wrong codes that are accepted. With 100,000,000 codes, guessing succeeds once in 20,000,000 registrations.
const TRIES_MAX: u32 = 5;

/// What the receiver of an address must repeat. Only the receiver gets it; `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct VerificationCode(String);

/// A code that was sent, as it is stored with its device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingVerification {
    /// Hash of the code: who reads the container cannot verify an address.
    code_hash: String,
    /// When it was sent.
    sent_at: UtcTimestamp,
    /// Wrong codes so far.
    wrong_tries: u32,
}

/// What a code says about a pending verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeCheck {
    Right,
    Wrong,
    /// It is too late, or there were too many wrong codes; a new one is needed.
    Expired,
}

impl VerificationCode {
    /// A random code: digits that a person can type, or a text that a program repeats.
    pub(crate) fn random(environment: &Environment, platform: Platform) -> Self {
        let number = environment.random();
        Self(match platform {
            Platform::Mail => format!("{:08}", number % 100_000_000),
            _ => format!("{number:016x}{:016x}", environment.random()),
        })
    }

    /// The code as a user gave it.
    pub(crate) fn given(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// Its text, for the receiver only.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// Bound to the device, so that a code of one device says nothing about another.
    fn hash(&self, item_id: &str) -> String {
        let text = format!("{item_id}:{}", self.0);
        let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
        digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl std::fmt::Debug for VerificationCode {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("VerificationCode(hidden)")
    }
}

impl PendingVerification {
    pub(crate) fn new(code: &VerificationCode, item_id: &str, now: UtcTimestamp) -> Self {
        Self { code_hash: code.hash(item_id), sent_at: now, wrong_tries: 0 }
    }

    /// Compares a code. Hashes are compared, so the time does not depend on how many characters are right.
    pub(crate) fn check(
        &self,
        code: &VerificationCode,
        item_id: &str,
        now: UtcTimestamp,
    ) -> CodeCheck {
        if self.wrong_tries >= TRIES_MAX || now >= self.sent_at.after(LIFE) {
            return CodeCheck::Expired;
        }
        if self.code_hash == code.hash(item_id) { CodeCheck::Right } else { CodeCheck::Wrong }
    }

    pub(crate) fn count_wrong_try(&mut self) {
        self.wrong_tries += 1;
    }
}
