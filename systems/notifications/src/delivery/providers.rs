//! The providers behind the one trait, chosen by the device's platform.
//!
//! Owns opening those that have settings, and the answer for those that have none. Does not own any protocol.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use client::Clock;

use super::apns::Apns;
use super::fcm::Fcm;
use super::mail::Mail;
use super::settings::{ProviderSettings, SettingsError};
use super::webhook::Webhook;
use super::words::{Delivery, Push, PushResult};
use crate::words::{Device, Platform};

/// Every provider that has settings.
pub struct Providers {
    fcm: Option<Fcm>,
    apns: Option<Apns>,
    webhook: Option<Webhook>,
    mail: Option<Mail>,
}

impl Providers {
    /// Opens the providers; nothing is sent yet.
    ///
    /// # Errors
    /// The first setting that cannot work, by name.
    pub fn open(
        settings: &ProviderSettings,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, SettingsError> {
        let clock = || Arc::clone(clock);
        Ok(Self {
            fcm: settings.fcm.as_ref().map(|fcm| Fcm::open(fcm, clock())).transpose()?,
            apns: settings.apns.as_ref().map(|apns| Apns::open(apns, clock())).transpose()?,
            webhook: settings
                .webhook
                .as_ref()
                .map(|hook| Webhook::open(hook, clock()))
                .transpose()?,
            mail: settings.smtp.as_ref().map(|smtp| Mail::open(smtp, clock())).transpose()?,
        })
    }

    async fn fcm(&self, device: &Device, push: &Push) -> Option<PushResult> {
        Some(self.fcm.as_ref()?.push(device, push).await)
    }

    async fn apns(&self, device: &Device, push: &Push) -> Option<PushResult> {
        Some(self.apns.as_ref()?.push(device, push).await)
    }

    async fn webhook(&self, device: &Device, push: &Push) -> Option<PushResult> {
        Some(self.webhook.as_ref()?.push(device, push).await)
    }

    async fn mail(&self, device: &Device, push: &Push) -> Option<PushResult> {
        Some(self.mail.as_ref()?.push(device, push).await)
    }
}

#[async_trait]
impl Delivery for Providers {
    async fn push(&self, device: &Device, push: &Push) -> PushResult {
        let result = match device.platform {
            Platform::Fcm => self.fcm(device, push).await,
            Platform::Apns => self.apns(device, push).await,
            Platform::Webhook => self.webhook(device, push).await,
            Platform::Mail => self.mail(device, push).await,
        };
        let result = result.unwrap_or(PushResult::NotConfigured);
        tracing::debug!(platform = ?device.platform, device = %device.id, ?result, "push");
        result
    }

    fn is_configured(&self, platform: Platform) -> bool {
        match platform {
            Platform::Fcm => self.fcm.is_some(),
            Platform::Apns => self.apns.is_some(),
            Platform::Webhook => self.webhook.is_some(),
            Platform::Mail => self.mail.is_some(),
        }
    }
}

impl fmt::Debug for Providers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Providers")
            .field("fcm", &self.fcm.is_some())
            .field("apns", &self.apns.is_some())
            .field("webhook", &self.webhook.is_some())
            .field("mail", &self.mail.is_some())
            .finish()
    }
}
