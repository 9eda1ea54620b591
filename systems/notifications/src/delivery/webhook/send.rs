//! One push to one URL.
//!
//! Owns the request and the meaning of each status. Does not retry; the dispatcher does.

use std::sync::Arc;
use std::time::Duration;

use client::Clock;
use reqwest::Url;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;
use service::settings::ProviderSettingsError;

use super::address::{
    PublicOnlyResolver, check_host, is_private_address_error, is_private_literal,
};
use super::signature::WebhookSigner;
use crate::delivery::push::{DeliveryResult, Push, VerificationResult};
use crate::delivery::settings::{WebhookSettings, require, timeout};
use crate::delivery::{http, message_id};
use crate::domain::{Device, UtcTimestamp, VerificationCode};

/// The webhook provider.
pub(crate) struct WebhookProvider {
    http: reqwest::Client,
    signature: WebhookSigner,
    allowed_hosts: Vec<String>,
    allow_private_addresses: bool,
    clock: Arc<dyn Clock>,
}

impl WebhookProvider {
    /// Validates the settings. Nothing is sent yet.
    pub(crate) fn open(
        settings: &WebhookSettings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ProviderSettingsError> {
        require("Webhook:Secret", settings.secret.expose())?;
        let signature = WebhookSigner::new(&settings.secret)
            .map_err(|wrong| ProviderSettingsError::new("Webhook:Secret", &wrong))?;
        let timeout = timeout("Webhook:TimeoutSeconds", settings.timeout_seconds)?;
        // A proxy would resolve names itself and bypass the check of addresses.
        let mut builder = http::builder("", timeout).no_proxy();
        if !settings.allow_private_addresses {
            builder = builder.dns_resolver(Arc::new(PublicOnlyResolver));
        }
        let builder = http::trust_ca_file(builder, "Webhook:CaFile", &settings.ca_file)?;
        Ok(Self {
            http: http::build("Webhook", builder)?,
            signature,
            allowed_hosts: settings.allowed_hosts.iter().map(|host| host.to_lowercase()).collect(),
            allow_private_addresses: settings.allow_private_addresses,
            clock,
        })
    }

    pub(crate) async fn push(&self, device: &Device, push: &Push) -> DeliveryResult {
        let url = match self.url(device.push_token.secret()) {
            Ok(url) => url,
            Err(error) => return DeliveryResult::Permanent { reason: format!("webhook: {error}") },
        };
        let now = self.clock.now().0;
        let id = message_id::uuid(device, push);
        let body = body(device, push, UtcTimestamp::from_ms(now));
        let timestamp_seconds = now / 1000;
        let sent = self.post(url, &id, timestamp_seconds, body).await;
        match sent {
            Ok(response) => {
                let retry_after = http::retry_after(response.headers(), self.clock.as_ref());
                // The body is not read: only the status counts, and a receiver could send for ever.
                interpret(response.status().as_u16(), retry_after, id)
            }
            Err(error) if is_private_address_error(&error) => {
                DeliveryResult::Permanent { reason: format!("webhook: {PRIVATE}") }
            }
            // No alarm: only the receiver can fix its certificate.
            Err(error) => match http::certificate_failure("webhook", &error) {
                Some(reason) => DeliveryResult::Retry { after: None, reason },
                None => http::no_response("webhook", "Webhook", &error),
            },
        }
    }

    /// Refuses what is not a URL.
    pub(crate) fn check_syntax(text: &str) -> Result<(), String> {
        let url = Url::parse(text).map_err(|_| "is not a URL".to_owned())?;
        match url.scheme() {
            "https" | "http" if url.has_host() => Ok(()),
            _ => Err("is not a URL of http or https".to_owned()),
        }
    }

    /// Refuses a URL that nothing would be sent to: its form, its host, and the addresses that the host has now. They
    /// are checked again for every connection, because they may change.
    pub(crate) async fn check_address(&self, text: &str) -> Result<(), String> {
        let url = self.url(text).map_err(str::to_owned)?;
        if self.allow_private_addresses {
            return Ok(());
        }
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        check_host(&host, url.port_or_known_default().unwrap_or_default()).await
    }

    /// Sends a challenge, which the receiver must repeat in its response.
    pub(crate) async fn verify(
        &self,
        device: &Device,
        code: &VerificationCode,
    ) -> VerificationResult {
        let failed = |reason: &str| VerificationResult::Failed { reason: reason.to_owned() };
        let url = match self.url(device.push_token.secret()) {
            Ok(url) => url,
            Err(error) => return failed(error),
        };
        let now = self.clock.now().0;
        let body = json!({
            "type": "verification",
            "timestamp": UtcTimestamp::from_ms(now),
            "data": { "deviceId": device.device_id, "challenge": code.secret() },
        })
        .to_string();
        let Ok(response) = self.post(url, &format!("verify-{}", device.id), now / 1000, body).await
        else {
            return failed("the receiver could not be reached, or has no public address");
        };
        if !response.status().is_success() {
            return failed(&format!(
                "the receiver responded with status {}",
                response.status().as_u16()
            ));
        }
        match read_start(response).await {
            Some(text) if repeats_challenge(&text, code) => VerificationResult::Proved,
            _ => failed(
                "the receiver did not repeat the challenge; respond with {\"challenge\": \"<the same text>\"}",
            ),
        }
    }

    async fn post(
        &self,
        url: Url,
        id: &str,
        timestamp_seconds: u64,
        body: String,
    ) -> reqwest::Result<reqwest::Response> {
        self.http
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp_seconds)
            .header(
                "webhook-signature",
                self.signature.sign(id, timestamp_seconds, body.as_bytes()),
            )
            .body(body)
            .send()
            .await
    }

    fn url(&self, text: &str) -> Result<Url, &'static str> {
        let url = Url::parse(text).map_err(|_| "the push token is not a URL")?;
        let host = url.host_str().ok_or("the URL has no host")?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("the URL has a login; the signature authenticates the sender");
        }
        let is_plain = url.scheme() == "http" && self.allow_private_addresses;
        if url.scheme() != "https" && !is_plain {
            return Err("the URL must begin with https");
        }
        if !self.allowed_hosts.is_empty()
            && !self.allowed_hosts.iter().any(|allowed| allowed == host)
        {
            return Err("the host is not among Webhook:AllowedHosts");
        }
        // The resolver is not asked for literal addresses, so they are checked here.
        if !self.allow_private_addresses && is_private_literal(&url) {
            return Err(PRIVATE);
        }
        Ok(url)
    }
}

/// The first bytes of a response; a challenge is short, and a receiver could send without end.
async fn read_start(mut response: reqwest::Response) -> Option<String> {
    let mut start = Vec::new();
    while let Some(piece) = response.chunk().await.ok()? {
        start.extend_from_slice(&piece);
        if start.len() > CHALLENGE_BYTES_MAX {
            return None;
        }
    }
    String::from_utf8(start).ok()
}

/// Whether a response is the challenge, alone or in the property `challenge`.
fn repeats_challenge(text: &str, code: &VerificationCode) -> bool {
    let json = serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
    let repeated = json.get("challenge").and_then(serde_json::Value::as_str);
    repeated.unwrap_or(text.trim()) == code.secret()
}

const CHALLENGE_BYTES_MAX: usize = 4 * 1024;

const PRIVATE: &str =
    "the host has no public address; Webhook:AllowPrivateAddresses would allow it";

fn body(device: &Device, push: &Push, now: UtcTimestamp) -> String {
    json!({
        "type": "notification",
        "timestamp": now,
        "data": {
            "notificationId": push.notification_id,
            "deviceId": device.device_id,
            "category": push.category.name(),
            "title": push.title,
            "body": push.body,
            "deeplink": push.deeplink,
            "collapseId": push.collapse_id,
            "badge": push.badge,
            "data": push.data,
        },
    })
    .to_string()
}

/// The result by the status of the response.
fn interpret(status: u16, retry_after: Option<Duration>, id: String) -> DeliveryResult {
    let reason = format!("webhook: status {status}");
    match status {
        200..300 => DeliveryResult::Delivered { provider_id: id },
        300..400 => DeliveryResult::Permanent {
            reason: format!("{reason}; redirects are not followed, register the new URL"),
        },
        // Gone: the receiver will not accept anything there again.
        410 => DeliveryResult::InvalidToken,
        408 | 425 | 429 | 500.. => DeliveryResult::Retry { after: retry_after, reason },
        _ => DeliveryResult::Permanent { reason },
    }
}
