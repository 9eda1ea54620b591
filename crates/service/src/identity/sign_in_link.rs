//! One-time links that start a session, so that people can try a demonstration without a password.
//!
//! Owns creating and redeeming them, in the memory of one process. A link is signed, expires soon and works once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use client::Environment;
use serde::{Deserialize, Serialize};

use super::signing_key::SigningKey;

const LIFETIME_MS: u64 = 15 * 60 * 1000;

/// Creates and redeems links. Clones share the list of used ones.
#[derive(Clone, Debug)]
pub(super) struct SignInLinks {
    environment: Environment,
    key: SigningKey,
    /// Ids of used links with their expiry. Expired ones are removed: the expiry alone rejects them.
    used: Arc<Mutex<HashMap<u64, u64>>>,
}

/// The content of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SignIn {
    pub(super) subject: String,
    pub(super) roles: Vec<String>,
    id: u64,
    ends_ms: u64,
}

impl SignInLinks {
    pub(super) fn new(environment: Environment, key: &SigningKey) -> Self {
        Self { environment, key: key.derive("sign-in link"), used: Arc::default() }
    }

    /// The text of a link.
    pub(super) fn create(&self, subject: &str, roles: &[&str]) -> String {
        let sign_in = SignIn {
            subject: subject.to_owned(),
            roles: roles.iter().map(|role| (*role).to_owned()).collect(),
            id: self.environment.random(),
            ends_ms: self.environment.now().0 + LIFETIME_MS,
        };
        self.key.sign_json(&sign_in)
    }

    /// Redeems a link: returns its content the first time.
    pub(super) fn redeem(&self, text: &str) -> Option<SignIn> {
        let sign_in: SignIn = self.key.verify_json(text)?;
        let now_ms = self.environment.now().0;
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        // Under the same lock as the insertion: of two concurrent requests only one redeems the link.
        used.retain(|_, ends_ms| *ends_ms > now_ms);
        let is_fresh =
            sign_in.ends_ms > now_ms && used.insert(sign_in.id, sign_in.ends_ms).is_none();
        is_fresh.then_some(sign_in)
    }
}
