//! Sessions that were ended before their time.
//!
//! A session is a signed cookie, which stays valid wherever a copy of it is, so signing out has to be remembered on the
//! server. Owns the list: in the memory of this process, and in a container if the service has given one, so that a
//! session stays ended after a restart and in other instances. An entry is kept until its session would have ended
//! anyway.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use client::{Container, Environment, ErrorKind};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// How long a session that was not found in the container is taken as not ended. Another instance may end it meanwhile.
const TRUSTED_MS: u64 = 10_000;
/// Sessions remembered as not ended. Beyond it all are forgotten, which only costs reads.
const TRUSTED_MAX: usize = 10_000;

/// The sessions that were ended.
#[derive(Debug)]
pub(super) struct RevokedSessions {
    environment: Environment,
    /// Ids with the time at which the session would have ended.
    known: Mutex<KnownSessions>,
    stored: OnceLock<Container>,
    /// Counts the ends, and wakes the open streams of ended sessions.
    ends: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct KnownSessions {
    revoked: HashMap<String, u64>,
    /// Sessions that the container did not have, with the time until which that is trusted.
    trusted: HashMap<String, u64>,
}

/// An ended session in the container. The names are part of its stored form.
#[derive(Debug, Serialize, Deserialize)]
struct RevokedSession {
    id: String,
    kind: String,
    ttl: u64,
}

impl RevokedSessions {
    pub(super) fn new(environment: Environment) -> Self {
        let (ends, _) = watch::channel(0);
        Self { environment, known: Mutex::default(), stored: OnceLock::new(), ends }
    }

    /// Keeps ended sessions in a container from now on. Later calls have no effect.
    pub(super) fn store_in(&self, container: Container) {
        let _ = self.stored.set(container);
    }

    /// Ends a session that would otherwise end at `ends_ms`.
    pub(super) async fn revoke(&self, id: &str, ends_ms: u64) -> client::Result<()> {
        let now_ms = self.environment.now().0;
        // Stored first: if that fails, the answer must not claim that the session has ended everywhere.
        if let Some(container) = self.stored.get() {
            let item = RevokedSession {
                id: item_id(id),
                kind: "revokedSession".to_owned(),
                // One second more, so that the item does not go before the session.
                ttl: ends_ms.saturating_sub(now_ms) / 1000 + 1,
            };
            container.upsert(&item.id.as_str().into(), &item, None).await?;
        }
        let mut known = self.known();
        known.revoked.retain(|_, ends_ms| *ends_ms > now_ms);
        known.revoked.insert(id.to_owned(), ends_ms);
        drop(known);
        self.ends.send_modify(|count| *count += 1);
        Ok(())
    }

    /// Whether a session was ended.
    pub(super) async fn contains(&self, id: &str) -> client::Result<bool> {
        let now_ms = self.environment.now().0;
        {
            let known = self.known();
            if known.revoked.contains_key(id) {
                return Ok(true);
            }
            let is_trusted = known.trusted.get(id).is_some_and(|until_ms| *until_ms > now_ms);
            if is_trusted || self.stored.get().is_none() {
                return Ok(false);
            }
        }
        let Some(container) = self.stored.get() else { return Ok(false) };
        let stored_id = item_id(id);
        match container.read::<RevokedSession>(&stored_id.as_str().into(), &stored_id).await {
            Ok(found) => {
                let ends_ms = now_ms + found.value.value.ttl * 1000;
                self.known().revoked.insert(id.to_owned(), ends_ms);
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let mut known = self.known();
                if known.trusted.len() >= TRUSTED_MAX {
                    known.trusted.clear();
                }
                known.trusted.insert(id.to_owned(), now_ms + TRUSTED_MS);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Changes whenever a session is ended in this process.
    pub(super) fn ends(&self) -> watch::Receiver<u64> {
        self.ends.subscribe()
    }

    fn known(&self) -> MutexGuard<'_, KnownSessions> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn item_id(session_id: &str) -> String {
    format!("session-{session_id}")
}
