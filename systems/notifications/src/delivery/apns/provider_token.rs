//! Provider tokens: what proves to APNs who we are, signed by ourselves.
//!
//! Owns their age: APNs takes one for an hour and refuses a new one within twenty minutes, so they are renewed in
//! between. Does not own what a push does with a token that is refused.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use client::Clock;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde::Serialize;

use crate::delivery::push::PushResult;
use service::settings::Secret;

/// Between the twenty minutes and the hour.
const RENEWED_AFTER: Duration = Duration::from_secs(40 * 60);

/// The team's tokens.
pub(super) struct ProviderTokens {
    pub(super) team_id: String,
    pub(super) key_id: String,
    pub(super) key: EncodingKey,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) cached: Mutex<Option<ProviderToken>>,
}

/// A token with its age.
#[derive(Clone)]
pub(super) struct ProviderToken {
    pub(super) text: Secret,
    made_at_ms: u64,
}

#[derive(Serialize)]
struct ProviderTokenClaims<'a> {
    iss: &'a str,
    iat: u64,
}

impl ProviderTokens {
    /// The token in use, or a new one when that is old.
    pub(super) fn current(&self) -> Result<ProviderToken, PushResult> {
        self.cached_or_new(|token, now_ms| {
            let age = Duration::from_millis(now_ms.saturating_sub(token.made_at_ms));
            age < RENEWED_AFTER
        })
    }

    /// A token other than the refused one; pushes refused together share one.
    pub(super) fn replace_refused(
        &self,
        refused: &ProviderToken,
    ) -> Result<ProviderToken, PushResult> {
        self.cached_or_new(|token, _| !token.text.matches(refused.text.expose()))
    }

    fn cached_or_new(
        &self,
        is_good: impl Fn(&ProviderToken, u64) -> bool,
    ) -> Result<ProviderToken, PushResult> {
        // Signing takes well under a millisecond, so it happens under the lock: one renewal at a time.
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        let now_ms = self.clock.now().0;
        if let Some(token) = cached.as_ref()
            && is_good(token, now_ms)
        {
            return Ok(token.clone());
        }
        Ok(cached.insert(self.sign(now_ms)?).clone())
    }

    fn sign(&self, now_ms: u64) -> Result<ProviderToken, PushResult> {
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some(self.key_id.clone());
        let claims = ProviderTokenClaims { iss: &self.team_id, iat: now_ms / 1000 };
        match jsonwebtoken::encode(&header, &claims, &self.key) {
            Ok(text) => Ok(ProviderToken { text: Secret::new(text), made_at_ms: now_ms }),
            Err(_) => Err(PushResult::Alarm {
                reason: "ApnsProvider:PrivateKey cannot sign; check the setting".to_owned(),
            }),
        }
    }
}
