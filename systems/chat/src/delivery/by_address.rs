//! The ways of the settings: mails by a relay, everything else by the operator's address.

use std::sync::Arc;

use async_trait::async_trait;
use client::Environment;
use service::mail::{MailFailure, MailRelay, OutgoingMail};

use super::log::LogSender;
use super::outgoing::{DeliveryAddress, OutgoingText, TextSender};
use super::webhook::WebhookSender;
use crate::error::{Error, Result};
use crate::settings::ChatSettings;

/// Sends a mail by `Smtp`, if that is set; what is left by `Delivery:WebhookUrl`.
pub struct AddressSender {
    relay: Option<MailRelay>,
    webhook: Option<WebhookSender>,
    environment: Environment,
}

impl AddressSender {
    /// The ways of the settings; the log if there are none, which only development allows.
    ///
    /// # Errors
    /// `Invalid`, naming the setting that cannot be used.
    pub fn open(settings: &ChatSettings, environment: &Environment) -> Result<Arc<dyn TextSender>> {
        let relay = match settings.smtp.has_any_value() {
            true => Some(
                MailRelay::open(&settings.smtp)
                    .map_err(|error| Error::invalid(error.to_string()))?,
            ),
            false => None,
        };
        let webhook = match settings.delivery.webhook_url.is_empty() {
            true => None,
            false => Some(WebhookSender::open(settings.delivery.clone())?),
        };
        if relay.is_none() && webhook.is_none() {
            return Ok(Arc::new(LogSender));
        }
        if webhook.is_none() {
            tracing::info!("mobile numbers get no texts, because Delivery:WebhookUrl is not set");
        }
        Ok(Arc::new(Self { relay, webhook, environment: environment.clone() }))
    }
}

#[async_trait]
impl TextSender for AddressSender {
    async fn send(&self, outgoing: &OutgoingText) -> Result<()> {
        match (&outgoing.address, &self.relay, &self.webhook) {
            (DeliveryAddress::Mail(to), Some(relay), _) => {
                let OutgoingText { subject, text, .. } = outgoing;
                let date = self.environment.now();
                let mail = OutgoingMail { to, subject, text, id: None, date };
                relay.send(mail).await.map_err(|failure| match failure {
                    MailFailure::Transient(_) => Error::unavailable(failure.to_string()),
                    _ => Error::invalid(failure.to_string()),
                })
            }
            (_, _, Some(webhook)) => webhook.send(outgoing).await,
            // Said once at the start.
            (DeliveryAddress::Mobile(_), _, None) => Ok(()),
            (DeliveryAddress::Mail(_), None, None) => {
                Err(Error::invalid("there is no way to mail addresses: set Smtp:Host"))
            }
        }
    }
}
