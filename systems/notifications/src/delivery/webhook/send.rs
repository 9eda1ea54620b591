//! One push to one URL.
//!
//! Owns the request and the meaning of each status. Does not retry; the dispatcher does.

use std::sync::Arc;
use std::time::Duration;

use client::Clock;
use reqwest::Url;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;

use super::address::{PublicOnlyResolver, is_private_address_error, is_private_literal};
use super::signature::WebhookSigner;
use crate::delivery::push::{DeliveryResult, Push};
use crate::delivery::settings::{ProviderSettingsError, WebhookSettings, require, timeout};
use crate::delivery::{http, message_id};
use crate::domain::{Device, UtcTimestamp};

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
        let sent = self
            .http
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", &id)
            .header("webhook-timestamp", timestamp_seconds)
            .header(
                "webhook-signature",
                self.signature.sign(&id, timestamp_seconds, body.as_bytes()),
            )
            .body(body)
            .send()
            .await;
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
