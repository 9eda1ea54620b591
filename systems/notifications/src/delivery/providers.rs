//! The providers behind the one trait, chosen by the device's platform.
//!
//! Owns opening those that have settings, and the answer for those that have none. Does not own any protocol.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use client::{Clock, SystemClock};
use service::settings::Check;

use super::apns::ApnsProvider;
use super::fcm::FcmProvider;
use super::mail::MailProvider;
use super::push::{Delivery, Push, PushResult};
use super::settings::{ProviderSettings, ProviderSettingsError, TIMEOUT_SECONDS_MAX};
use super::webhook::WebhookProvider;
use crate::domain::{Device, Platform};

/// A push takes no longer, whatever happens: an event's lease is for three devices.
const PUSH_TIME_MAX: Duration = Duration::from_secs(TIMEOUT_SECONDS_MAX);

/// Every provider that has settings.
pub struct Providers {
    fcm: Option<FcmProvider>,
    apns: Option<ApnsProvider>,
    webhook: Option<WebhookProvider>,
    mail: Option<MailProvider>,
}

impl Providers {
    /// Opens the providers; nothing is sent yet.
    ///
    /// # Errors
    /// The first setting that cannot work, by name.
    pub fn open(
        settings: &ProviderSettings,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, ProviderSettingsError> {
        Ok(Self {
            fcm: fcm(settings, clock)?,
            apns: apns(settings, clock)?,
            webhook: webhook(settings, clock)?,
            mail: mail(settings, clock)?,
        })
    }

    /// Nothing when there are no settings for the platform.
    async fn send(&self, device: &Device, push: &Push) -> Option<PushResult> {
        Some(match device.platform {
            Platform::Fcm => self.fcm.as_ref()?.push(device, push).await,
            Platform::Apns => self.apns.as_ref()?.push(device, push).await,
            Platform::Webhook => self.webhook.as_ref()?.push(device, push).await,
            Platform::Mail => self.mail.as_ref()?.push(device, push).await,
        })
    }
}

type OpenResult<P> = Result<Option<P>, ProviderSettingsError>;

fn fcm(settings: &ProviderSettings, clock: &Arc<dyn Clock>) -> OpenResult<FcmProvider> {
    let begun = settings.fcm.has_any_value();
    begun.then(|| FcmProvider::open(&settings.fcm, Arc::clone(clock))).transpose()
}

fn apns(settings: &ProviderSettings, clock: &Arc<dyn Clock>) -> OpenResult<ApnsProvider> {
    let begun = settings.apns.has_any_value();
    begun.then(|| ApnsProvider::open(&settings.apns, Arc::clone(clock))).transpose()
}

fn webhook(settings: &ProviderSettings, clock: &Arc<dyn Clock>) -> OpenResult<WebhookProvider> {
    let begun = settings.webhook.has_any_value();
    begun.then(|| WebhookProvider::open(&settings.webhook, Arc::clone(clock))).transpose()
}

fn mail(settings: &ProviderSettings, clock: &Arc<dyn Clock>) -> OpenResult<MailProvider> {
    let begun = settings.smtp.has_any_value();
    begun.then(|| MailProvider::open(&settings.smtp, Arc::clone(clock))).transpose()
}

/// The first thing that is wrong with each provider's section, found by opening it.
impl service::settings::Settings for ProviderSettings {
    fn check(&self, check: &mut Check) {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let wrong = [
            fcm(self, &clock).err(),
            apns(self, &clock).err(),
            webhook(self, &clock).err(),
            mail(self, &clock).err(),
        ];
        for ProviderSettingsError { setting, wrong } in wrong.into_iter().flatten() {
            check.require(&setting, false, &wrong);
        }
    }
}

#[async_trait]
impl Delivery for Providers {
    async fn push(&self, device: &Device, push: &Push) -> PushResult {
        let sent = tokio::time::timeout(PUSH_TIME_MAX, self.send(device, push)).await;
        let result = match sent {
            Ok(result) => result.unwrap_or(PushResult::NotConfigured),
            Err(_) => PushResult::Retry { after: None, reason: "no answer in time".to_owned() },
        };
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
