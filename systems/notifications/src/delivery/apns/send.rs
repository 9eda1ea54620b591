//! One push to one device over APNs.
//!
//! Owns the connection, the request, the second attempt with a new provider token and the one after a lost connection.
//! Does not own any further attempt; the dispatcher does.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use client::Clock;
use jsonwebtoken::EncodingKey;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};

use super::payload;
use super::provider_token::{ProviderToken, ProviderTokens};
use super::response::{ApnsResponse, interpret};
use crate::delivery::push::{Push, PushResult};
use crate::delivery::settings::{ApnsSettings, ProviderSettingsError, require, timeout};
use crate::delivery::{http, message_id, pem};
use crate::domain::Device;

/// How long a push waits for a device that is off.
const LIFE_SECONDS: u64 = 86_400;
const COLLAPSE_ID_BYTES_MAX: usize = 64;
/// A connection nobody uses is asked after so long whether it still is one.
const IDLE_PING: Duration = Duration::from_secs(60);

/// The provider, ready to send.
pub(crate) struct ApnsProvider {
    http: reqwest::Client,
    endpoint: String,
    topic: String,
    provider_tokens: ProviderTokens,
    clock: Arc<dyn Clock>,
}

impl ApnsProvider {
    /// Checks the settings and gets ready; nothing is sent yet.
    pub(crate) fn open(
        settings: &ApnsSettings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ProviderSettingsError> {
        require("ApnsProvider:TeamId", &settings.team_id)?;
        require("ApnsProvider:KeyId", &settings.key_id)?;
        require("ApnsProvider:PrivateKey", settings.private_key.expose())?;
        require("ApnsProvider:Topic", &settings.topic)?;
        let endpoint = http::parse_endpoint("ApnsProvider:Endpoint", &settings.endpoint)?;
        let timeout = timeout("ApnsProvider:TimeoutSeconds", settings.timeout_seconds)?;
        let key =
            EncodingKey::from_ec_pem(pem::unescape_newlines(&settings.private_key).as_bytes());
        let key = key.map_err(|_| {
            let wrong = "is no P-256 private key in PEM form; take the content of the .p8 file";
            ProviderSettingsError::new("ApnsProvider:PrivateKey", wrong)
        })?;
        // HTTP/2 and nothing else: by ALPN over TLS, and at once without TLS.
        let builder = http::builder(endpoint, timeout)
            .http2_prior_knowledge()
            .http2_keep_alive_interval(IDLE_PING)
            .http2_keep_alive_while_idle(true);
        let builder = http::trust_ca_file(builder, "ApnsProvider:CaFile", &settings.ca_file)?;
        Ok(Self {
            http: http::build("ApnsProvider:Endpoint", builder)?,
            endpoint: endpoint.to_owned(),
            topic: settings.topic.clone(),
            provider_tokens: ProviderTokens {
                team_id: settings.team_id.clone(),
                key_id: settings.key_id.clone(),
                key,
                clock: Arc::clone(&clock),
                cached: Mutex::new(None),
            },
            clock,
        })
    }

    pub(crate) async fn push(&self, device: &Device, push: &Push) -> PushResult {
        self.attempts(device, push).await.unwrap_or_else(|result| result)
    }

    /// Either side is the result; the error side is where it ends early.
    async fn attempts(&self, device: &Device, push: &Push) -> Result<PushResult, PushResult> {
        let body = payload::encode(push).map_err(|bytes| PushResult::Permanent {
            reason: format!("apns: {bytes} bytes without any text are too many"),
        })?;
        let body = Bytes::from(body);
        let first = self.provider_tokens.current()?;
        if let ApnsResponse::Result(result) = self.attempt(device, push, &first, &body).await? {
            return Ok(result);
        }
        let second = self.provider_tokens.replace_refused(&first)?;
        Ok(match self.attempt(device, push, &second, &body).await? {
            ApnsResponse::Result(result) => result,
            ApnsResponse::ProviderTokenExpired => PushResult::Alarm {
                reason:
                    "apns: a new provider token counts as expired too; check this machine's clock"
                        .to_owned(),
            },
        })
    }

    async fn attempt(
        &self,
        device: &Device,
        push: &Push,
        token: &ProviderToken,
        body: &Bytes,
    ) -> Result<ApnsResponse, PushResult> {
        let mut sent = self.send(device, push, token, body).await;
        if sent.as_ref().is_err_and(|error| !error.is_timeout() && !error.is_connect()) {
            // The connection went away under the push. The same ids make a second copy harmless.
            sent = self.send(device, push, token, body).await;
        }
        let response = sent.map_err(|error| http::no_response("apns", "ApnsProvider", &error))?;
        let status = response.status().as_u16();
        if status == 200 {
            let id = response.headers().get("apns-id").and_then(|id| id.to_str().ok());
            let provider_id = id.unwrap_or_default().to_owned();
            return Ok(ApnsResponse::Result(PushResult::Delivered { provider_id }));
        }
        let asked = http::retry_after(response.headers(), self.clock.as_ref());
        let body = response
            .bytes()
            .await
            .map_err(|error| http::no_response("apns", "ApnsProvider", &error))?;
        Ok(interpret(status, &body, asked, device.last_seen_at))
    }

    async fn send(
        &self,
        device: &Device,
        push: &Push,
        token: &ProviderToken,
        body: &Bytes,
    ) -> Result<reqwest::Response, reqwest::Error> {
        let expiration = self.clock.now().0 / 1000 + LIFE_SECONDS;
        let url = format!("{}/3/device/{}", self.endpoint, segment(device.push_token.secret()));
        let mut request = self
            .http
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header("apns-id", message_id::uuid(device, push))
            .header("apns-topic", &self.topic)
            .header("apns-push-type", "alert")
            .header("apns-priority", payload::priority(push.category))
            .header("apns-expiration", expiration)
            .body(body.clone());
        if !push.collapse_id.is_empty() {
            request = request.header("apns-collapse-id", collapse_id(&push.collapse_id).as_ref());
        }
        if let Some(bearer) = http::sensitive_header(&format!("bearer {}", token.text.expose())) {
            request = request.header(AUTHORIZATION, bearer);
        }
        request.send().await
    }
}

/// The collapse id, or its SHA-256 when it is longer than APNs takes or no header value.
fn collapse_id(text: &str) -> Cow<'_, str> {
    if text.len() <= COLLAPSE_ID_BYTES_MAX && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Cow::Borrowed(text);
    }
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    Cow::Owned(digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A push token as one segment of a path: only letters, digits, `-` and `_` stand for themselves.
fn segment(push_token: &str) -> String {
    let mut segment = String::with_capacity(push_token.len());
    for byte in push_token.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
            segment.push(char::from(byte));
        } else {
            segment.push_str(&format!("%{byte:02X}"));
        }
    }
    segment
}
