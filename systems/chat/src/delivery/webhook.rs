//! The signed call of an operator's address, which sends the mail or the text message.

use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use serde_json::json;

use super::outgoing::{DeliveryAddress, OutgoingText, TextSender};
use crate::error::{Error, Result};
use crate::settings::DeliverySettings;

/// The header with the signature: HMAC-SHA-256 of the body, in base64.
const SIGNATURE: &str = "x-planisphere-signature";

/// Calls an operator's address, which sends the mail or the text message.
pub struct WebhookSender {
    settings: DeliverySettings,
    http: reqwest::Client,
}

impl WebhookSender {
    /// Opens the way.
    ///
    /// # Errors
    /// `Invalid` if the HTTP client cannot be made.
    pub fn open(settings: DeliverySettings) -> Result<Self> {
        let http = reqwest::Client::builder().timeout(Duration::from_secs(10)).build();
        let http = http.map_err(|error| Error::invalid(format!("Delivery: {error}")))?;
        Ok(Self { settings, http })
    }
}

#[async_trait]
impl TextSender for WebhookSender {
    async fn send(&self, outgoing: &OutgoingText) -> Result<()> {
        let (channel, to) = match &outgoing.address {
            DeliveryAddress::Mail(address) => ("mail", address),
            DeliveryAddress::Mobile(number) => ("sms", number),
        };
        let body = json!({ "channel": channel, "to": to, "text": outgoing.text }).to_string();
        let mut request = self.http.post(&self.settings.webhook_url);
        if self.settings.webhook_secret.is_set() {
            let secret = self.settings.webhook_secret.expose().as_bytes();
            let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), body.as_bytes());
            request = request.header(SIGNATURE, STANDARD.encode(tag));
        }
        let request = request.header("content-type", "application/json").body(body);
        match request.send().await {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => {
                Err(Error::unavailable(format!("Delivery:WebhookUrl answers {}", answer.status())))
            }
            Err(error) => {
                Err(Error::unavailable(format!("Delivery:WebhookUrl: {}", error.without_url())))
            }
        }
    }
}
