//! Access tokens: a signed assertion is exchanged for a token, which is cached until shortly before it expires.
//!
//! Owns that there is at most one exchange at a time; pushes that need a token meanwhile wait for it.

use std::sync::Arc;
use std::time::Duration;

use client::Clock;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use reqwest::StatusCode;
use reqwest::header::CONTENT_TYPE;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use crate::delivery::http;
use crate::delivery::push::DeliveryResult;
use crate::delivery::settings::FcmSettings;
use service::settings::Secret;

const SCOPE: &str = "https://www.googleapis.com/auth/firebase.messaging";
const GRANT_TYPE: &str = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer";
const ASSERTION_LIFETIME_SECONDS: u64 = 3600;
/// A token is renewed so long before it expires.
const RENEW_BEFORE: Duration = Duration::from_secs(5 * 60);

/// Exchanges and caches the access token of the service account.
pub(super) struct AccessTokens {
    http: reqwest::Client,
    endpoint: String,
    client_email: String,
    key: EncodingKey,
    clock: Arc<dyn Clock>,
    cached: Mutex<Option<AccessToken>>,
}

/// A token with its expiry.
#[derive(Clone)]
pub(super) struct AccessToken {
    text: Secret,
    expires_at_ms: u64,
}

#[derive(Serialize)]
struct TokenAssertion<'a> {
    iss: &'a str,
    scope: &'static str,
    aud: &'a str,
    iat: u64,
    exp: u64,
}

#[derive(Deserialize)]
struct TokenResponse {
    access_token: String,
    expires_in: u64,
}

impl AccessToken {
    /// The token itself, for the header.
    pub(super) fn expose(&self) -> &str {
        self.text.expose()
    }
}

impl AccessTokens {
    /// Nothing is exchanged yet.
    pub(super) fn new(
        settings: &FcmSettings,
        http: reqwest::Client,
        key: EncodingKey,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            http,
            endpoint: settings.token_endpoint.clone(),
            client_email: settings.client_email.clone(),
            key,
            clock,
            cached: Mutex::new(None),
        }
    }

    /// A token that is valid for a while, or the result of a push without one.
    pub(super) async fn current(&self) -> Result<AccessToken, DeliveryResult> {
        let mut cached = self.cached.lock().await;
        let now_ms = self.clock.now().0;
        let renew_before_ms = u64::try_from(RENEW_BEFORE.as_millis()).unwrap_or(u64::MAX);
        if let Some(token) = cached.as_ref()
            && token.expires_at_ms > now_ms.saturating_add(renew_before_ms)
        {
            return Ok(token.clone());
        }
        match (self.exchange(now_ms).await, cached.as_ref()) {
            (Ok(token), _) => Ok(cached.insert(token).clone()),
            // It is renewed early so that the old token can still be used while the exchange fails.
            (Err(DeliveryResult::Retry { .. }), Some(old)) if old.expires_at_ms > now_ms => {
                Ok(old.clone())
            }
            (Err(result), _) => Err(result),
        }
    }

    /// A token other than the refused one. Pushes that were refused at the same time share one exchange.
    pub(super) async fn replace_refused(
        &self,
        refused: &AccessToken,
    ) -> Result<AccessToken, DeliveryResult> {
        let mut cached = self.cached.lock().await;
        if let Some(token) = cached.as_ref()
            && !token.text.matches(refused.text.expose())
        {
            return Ok(token.clone());
        }
        // Forgotten before the exchange: if that fails, the next push must not use the refused token again.
        *cached = None;
        let token = self.exchange(self.clock.now().0).await?;
        Ok(cached.insert(token).clone())
    }

    async fn exchange(&self, now_ms: u64) -> Result<AccessToken, DeliveryResult> {
        let assertion = self.sign_assertion(now_ms / 1000)?;
        let body = format!("grant_type={GRANT_TYPE}&assertion={assertion}");
        let response = self
            .http
            .post(&self.endpoint)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body)
            .send()
            .await
            .map_err(|error| http::no_response("fcm token endpoint", "Fcm", &error))?;
        let status = response.status();
        if !status.is_success() {
            return Err(self.interpret_refusal(status, response.headers()));
        }
        let token: TokenResponse = response.json().await.map_err(|_| DeliveryResult::Retry {
            after: None,
            reason: "fcm token endpoint: a response without an access token".to_owned(),
        })?;
        // The answer comes from outside; a huge number must not wrap around to a short life.
        let lifetime_ms = token.expires_in.saturating_mul(1000);
        Ok(AccessToken {
            text: Secret::new(token.access_token),
            expires_at_ms: now_ms.saturating_add(lifetime_ms),
        })
    }

    fn sign_assertion(&self, now_seconds: u64) -> Result<String, DeliveryResult> {
        let claims = TokenAssertion {
            iss: &self.client_email,
            scope: SCOPE,
            aud: &self.endpoint,
            iat: now_seconds,
            exp: now_seconds + ASSERTION_LIFETIME_SECONDS,
        };
        jsonwebtoken::encode(&Header::new(Algorithm::RS256), &claims, &self.key).map_err(|_| {
            DeliveryResult::Alarm {
                reason: "Fcm:PrivateKey cannot sign; check the setting".to_owned(),
            }
        })
    }

    fn interpret_refusal(
        &self,
        status: StatusCode,
        headers: &reqwest::header::HeaderMap,
    ) -> DeliveryResult {
        let reason = format!("fcm token endpoint: status {}", status.as_u16());
        if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
            let after = http::retry_after(headers, self.clock.as_ref());
            return DeliveryResult::Retry { after, reason };
        }
        // A wrong key, account or clock: the same request would fail again.
        DeliveryResult::Alarm {
            reason: format!(
                "{reason}; check Fcm:ClientEmail, Fcm:PrivateKey and this machine's clock"
            ),
        }
    }
}
