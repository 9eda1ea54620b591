//! Mails and text messages to users: one-time codes and reminders.
//!
//! Owns the trait, the signed call of an operator's address, and the log of a developer. Does not own what is sent.

use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use serde_json::json;

use crate::domain::ChatUser;
use crate::error::{Error, Result};
use crate::settings::DeliverySettings;

/// The header with the signature: HMAC-SHA-256 of the body, in base64.
const SIGNATURE: &str = "x-planisphere-signature";

/// Where a text goes.
#[derive(Clone, PartialEq, Eq)]
pub enum DeliveryAddress {
    /// A mail address.
    Mail(String),
    /// A mobile number.
    Mobile(String),
}

/// A text for one address. Both are private: nothing prints them.
#[derive(Clone)]
pub struct OutgoingText {
    /// Where it goes.
    pub address: DeliveryAddress,
    /// What it says.
    pub text: String,
}

/// A way to users.
#[async_trait]
pub trait TextSender: Send + Sync {
    /// Sends a text.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn send(&self, outgoing: &OutgoingText) -> Result<()>;
}

/// Calls an operator's address, which sends the mail or the text message.
pub struct WebhookSender {
    settings: DeliverySettings,
    http: reqwest::Client,
}

/// Prints texts to the log: for development only.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogSender;

impl DeliveryAddress {
    /// The addresses of a user.
    #[must_use]
    pub fn all_of(user: &ChatUser) -> Vec<Self> {
        let mail = user.email.clone().map(Self::Mail);
        mail.into_iter().chain(user.mobile.clone().map(Self::Mobile)).collect()
    }
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

#[async_trait]
impl TextSender for LogSender {
    async fn send(&self, outgoing: &OutgoingText) -> Result<()> {
        let to = match &outgoing.address {
            DeliveryAddress::Mail(address) => address,
            DeliveryAddress::Mobile(number) => number,
        };
        // A warning, so that it is seen without further flags. `Chat:Development` alone leads here.
        tracing::warn!("message to {to}: {}", outgoing.text);
        Ok(())
    }
}
