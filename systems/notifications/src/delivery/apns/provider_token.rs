//! Provider tokens: JWTs that we sign to authenticate to APNs.
//!
//! Owns when they are renewed: APNs accepts one for an hour and refuses a new one within twenty minutes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use client::Clock;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde::Serialize;

use crate::delivery::push::DeliveryResult;
use crate::delivery::settings::ApnsSettings;
use service::settings::Secret;

/// Between the twenty minutes and the hour.
const RENEW_AFTER: Duration = Duration::from_secs(40 * 60);

/// Signs and caches the provider token.
pub(super) struct ProviderTokens {
    team_id: String,
    key_id: String,
    key: EncodingKey,
    clock: Arc<dyn Clock>,
    cached: Mutex<Option<ProviderToken>>,
}

/// A token with the time it was signed.
#[derive(Clone)]
pub(super) struct ProviderToken {
    text: Secret,
    signed_at_ms: u64,
}

#[derive(Serialize)]
struct ProviderTokenClaims<'a> {
    iss: &'a str,
    iat: u64,
}

impl ProviderToken {
    /// The token itself, for the header.
    pub(super) fn expose(&self) -> &str {
        self.text.expose()
    }
}

impl ProviderTokens {
    /// Nothing is signed yet.
    pub(super) fn new(settings: &ApnsSettings, key: EncodingKey, clock: Arc<dyn Clock>) -> Self {
        Self {
            team_id: settings.team_id.clone(),
            key_id: settings.key_id.clone(),
            key,
            clock,
            cached: Mutex::new(None),
        }
    }

    /// The cached token, or a new one if that is too old.
    pub(super) fn current(&self) -> Result<ProviderToken, DeliveryResult> {
        self.cached_or_new(|token, now_ms| {
            let age = Duration::from_millis(now_ms.saturating_sub(token.signed_at_ms));
            age < RENEW_AFTER
        })
    }

    /// A token other than the refused one. Pushes that were refused at the same time share the new one.
    pub(super) fn replace_refused(
        &self,
        refused: &ProviderToken,
    ) -> Result<ProviderToken, DeliveryResult> {
        // If another push has renewed it meanwhile, that one is used: a second renewal within twenty minutes is
        // refused.
        self.cached_or_new(|token, _| !token.text.matches(refused.text.expose()))
    }

    fn cached_or_new(
        &self,
        is_usable: impl Fn(&ProviderToken, u64) -> bool,
    ) -> Result<ProviderToken, DeliveryResult> {
        // Signed while the lock is held, so that parallel pushes do not sign several tokens, of which APNs would refuse
        // all but the first.
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        let now_ms = self.clock.now().0;
        if let Some(token) = cached.as_ref()
            && is_usable(token, now_ms)
        {
            return Ok(token.clone());
        }
        Ok(cached.insert(self.sign(now_ms)?).clone())
    }

    fn sign(&self, now_ms: u64) -> Result<ProviderToken, DeliveryResult> {
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some(self.key_id.clone());
        let claims = ProviderTokenClaims { iss: &self.team_id, iat: now_ms / 1000 };
        match jsonwebtoken::encode(&header, &claims, &self.key) {
            Ok(text) => Ok(ProviderToken { text: Secret::new(text), signed_at_ms: now_ms }),
            Err(_) => Err(DeliveryResult::Alarm {
                reason: "Apns:PrivateKey cannot sign; check the setting".to_owned(),
            }),
        }
    }
}
