//! One push to one device over APNs.
//!
//! Owns the connection, the request, the second try with a new provider token and the one after a lost connection. Does
//! not retry otherwise; the dispatcher does.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use client::Clock;
use jsonwebtoken::EncodingKey;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use service::settings::ProviderSettingsError;

use super::payload;
use super::provider_token::{ProviderToken, ProviderTokens};
use super::response::{ApnsResponse, interpret};
use crate::delivery::push::{DeliveryResult, Push};
use crate::delivery::settings::{ApnsSettings, require, timeout};
use crate::delivery::{http, message_id, pem};
use crate::domain::Device;

/// How long APNs keeps a push for a device that is offline.
const EXPIRATION_SECONDS: u64 = 86_400;
const COLLAPSE_ID_BYTES_MAX: usize = 64;
/// Idle connections are checked by a ping this often.
const PING_INTERVAL: Duration = Duration::from_secs(60);

/// The APNs provider.
pub(crate) struct ApnsProvider {
    http: reqwest::Client,
    endpoint: String,
    topic: String,
    provider_tokens: ProviderTokens,
    clock: Arc<dyn Clock>,
}

impl ApnsProvider {
    /// Validates the settings. Nothing is sent yet.
    pub(crate) fn open(
        settings: &ApnsSettings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ProviderSettingsError> {
        require("Apns:TeamId", &settings.team_id)?;
        require("Apns:KeyId", &settings.key_id)?;
        require("Apns:PrivateKey", settings.private_key.expose())?;
        require("Apns:Topic", &settings.topic)?;
        let endpoint = http::parse_endpoint("Apns:Endpoint", &settings.endpoint)?;
        let timeout = timeout("Apns:TimeoutSeconds", settings.timeout_seconds)?;
        let key =
            EncodingKey::from_ec_pem(pem::unescape_newlines(&settings.private_key).as_bytes());
        let key = key.map_err(|_| {
            let wrong = "is not a P-256 private key in PEM form; use the content of the .p8 file";
            ProviderSettingsError::new("Apns:PrivateKey", wrong)
        })?;
        // APNs speaks only HTTP/2: by ALPN over TLS, and with prior knowledge without TLS.
        let builder = http::builder(endpoint, timeout)
            .http2_prior_knowledge()
            .http2_keep_alive_interval(PING_INTERVAL)
            .http2_keep_alive_while_idle(true);
        let builder = http::trust_ca_file(builder, "Apns:CaFile", &settings.ca_file)?;
        Ok(Self {
            http: http::build("Apns:Endpoint", builder)?,
            endpoint: endpoint.to_owned(),
            topic: settings.topic.clone(),
            provider_tokens: ProviderTokens::new(settings, key, Arc::clone(&clock)),
            clock,
        })
    }

    pub(crate) async fn push(&self, device: &Device, push: &Push) -> DeliveryResult {
        self.try_push(device, push).await.unwrap_or_else(|result| result)
    }

    /// Both sides of the `Result` are the result of the push; the error side ends early, with `?`.
    async fn try_push(
        &self,
        device: &Device,
        push: &Push,
    ) -> Result<DeliveryResult, DeliveryResult> {
        let body = payload::encode(push).map_err(|bytes| DeliveryResult::Permanent {
            reason: format!("apns: {bytes} bytes without any text are more than allowed"),
        })?;
        let body = Bytes::from(body);
        let first = self.provider_tokens.current()?;
        if let ApnsResponse::Result(result) = self.try_token(device, push, &first, &body).await? {
            return Ok(result);
        }
        let second = self.provider_tokens.replace_refused(&first)?;
        Ok(match self.try_token(device, push, &second, &body).await? {
            ApnsResponse::Result(result) => result,
            ApnsResponse::ProviderTokenExpired => DeliveryResult::Alarm {
                reason: "apns: a new provider token is expired too; check this machine's clock"
                    .to_owned(),
            },
        })
    }

    async fn try_token(
        &self,
        device: &Device,
        push: &Push,
        token: &ProviderToken,
        body: &Bytes,
    ) -> Result<ApnsResponse, DeliveryResult> {
        let mut sent = self.send(device, push, token, body).await;
        // A timeout has used up the time of this push, and without a connection the dispatcher waits before it tries
        // again.
        if sent.as_ref().is_err_and(|error| !error.is_timeout() && !error.is_connect()) {
            // The connection was lost during the push, which happens when APNs closes it (GOAWAY). If the push had
            // arrived, a second copy is harmless: it has the same `apns-id` and collapse id.
            sent = self.send(device, push, token, body).await;
        }
        let response = sent.map_err(|error| http::no_response("apns", "Apns", &error))?;
        let status = response.status().as_u16();
        if status == 200 {
            let id = response.headers().get("apns-id").and_then(|id| id.to_str().ok());
            let provider_id = id.unwrap_or_default().to_owned();
            return Ok(ApnsResponse::Result(DeliveryResult::Delivered { provider_id }));
        }
        let retry_after = http::retry_after(response.headers(), self.clock.as_ref());
        let body =
            response.bytes().await.map_err(|error| http::no_response("apns", "Apns", &error))?;
        Ok(interpret(status, &body, retry_after, device.last_seen_at))
    }

    async fn send(
        &self,
        device: &Device,
        push: &Push,
        token: &ProviderToken,
        body: &Bytes,
    ) -> Result<reqwest::Response, reqwest::Error> {
        let expiration = self.clock.now().0 / 1000 + EXPIRATION_SECONDS;
        let url =
            format!("{}/3/device/{}", self.endpoint, path_segment(device.push_token.secret()));
        let mut request = self
            .http
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            // The same for every attempt, so that APNs and the app recognize a repetition.
            .header("apns-id", message_id::uuid(device, push))
            .header("apns-topic", &self.topic)
            .header("apns-push-type", "alert")
            .header("apns-priority", payload::priority(push.category))
            .header("apns-expiration", expiration)
            .body(body.clone());
        if !push.collapse_id.is_empty() {
            request = request.header("apns-collapse-id", collapse_id(&push.collapse_id).as_ref());
        }
        if let Some(bearer) = http::sensitive_header(&format!("bearer {}", token.expose())) {
            request = request.header(AUTHORIZATION, bearer);
        }
        request.send().await
    }
}

/// The collapse id, or its SHA-256 if it is longer than APNs allows or not a valid header value.
fn collapse_id(text: &str) -> Cow<'_, str> {
    if text.len() <= COLLAPSE_ID_BYTES_MAX && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Cow::Borrowed(text);
    }
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    Cow::Owned(digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Percent-encodes a push token as one path segment, so that it cannot change the path.
fn path_segment(push_token: &str) -> String {
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
