//! All push providers behind one trait, chosen by the device's platform.
//!
//! Owns opening those that are configured, and the result for those that are not. Does not own any protocol.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use client::{Clock, SystemClock};
use service::settings::{ProviderSettingsError, SettingsValidator};

use super::apns::ApnsProvider;
use super::fcm::FcmProvider;
use super::mail::MailProvider;
use super::push::{Delivery, DeliveryResult, Push, VerificationResult};
use super::settings::{ProviderSettings, TIMEOUT_SECONDS_MAX};
use super::webhook::WebhookProvider;
use crate::domain::{Device, Platform, PushToken, VerificationCode};

/// The longest time for one push. The lease of an event, two minutes by default, has to last for three devices.
const PUSH_TIME_MAX: Duration = Duration::from_secs(TIMEOUT_SECONDS_MAX);

/// The configured providers.
pub struct Providers {
    fcm: Option<FcmProvider>,
    apns: Option<ApnsProvider>,
    webhook: Option<WebhookProvider>,
    mail: Option<MailProvider>,
}

impl Providers {
    /// Opens the configured providers. Nothing is sent yet.
    ///
    /// # Errors
    /// The first setting that is wrong.
    pub fn open(
        settings: &ProviderSettings,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, ProviderSettingsError> {
        Ok(Self {
            fcm: open_fcm(settings, clock)?,
            apns: open_apns(settings, clock)?,
            webhook: open_webhook(settings, clock)?,
            mail: open_mail(settings, clock)?,
        })
    }

    /// `None` if the provider of the platform is not configured.
    async fn send(&self, device: &Device, push: &Push) -> Option<DeliveryResult> {
        Some(match device.platform {
            Platform::Fcm => self.fcm.as_ref()?.push(device, push).await,
            Platform::Apns => self.apns.as_ref()?.push(device, push).await,
            Platform::Webhook => self.webhook.as_ref()?.push(device, push).await,
            Platform::Mail => self.mail.as_ref()?.push(device, push).await,
        })
    }
}

fn open_fcm(
    settings: &ProviderSettings,
    clock: &Arc<dyn Clock>,
) -> Result<Option<FcmProvider>, ProviderSettingsError> {
    let is_configured = settings.fcm.has_any_value();
    is_configured.then(|| FcmProvider::open(&settings.fcm, Arc::clone(clock))).transpose()
}

fn open_apns(
    settings: &ProviderSettings,
    clock: &Arc<dyn Clock>,
) -> Result<Option<ApnsProvider>, ProviderSettingsError> {
    let is_configured = settings.apns.has_any_value();
    is_configured.then(|| ApnsProvider::open(&settings.apns, Arc::clone(clock))).transpose()
}

fn open_webhook(
    settings: &ProviderSettings,
    clock: &Arc<dyn Clock>,
) -> Result<Option<WebhookProvider>, ProviderSettingsError> {
    let is_configured = settings.webhook.has_any_value();
    is_configured.then(|| WebhookProvider::open(&settings.webhook, Arc::clone(clock))).transpose()
}

fn open_mail(
    settings: &ProviderSettings,
    clock: &Arc<dyn Clock>,
) -> Result<Option<MailProvider>, ProviderSettingsError> {
    let is_configured = settings.smtp.has_any_value();
    is_configured.then(|| MailProvider::open(&settings.smtp, Arc::clone(clock))).transpose()
}

/// Reports the first wrong setting of each provider, found by opening it.
impl service::settings::SettingsSection for ProviderSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let errors = [
            open_fcm(self, &clock).err(),
            open_apns(self, &clock).err(),
            open_webhook(self, &clock).err(),
            open_mail(self, &clock).err(),
        ];
        for ProviderSettingsError { setting, message } in errors.into_iter().flatten() {
            validator.require(&setting, false, &message);
        }
    }
}

#[async_trait]
impl Delivery for Providers {
    async fn push(&self, device: &Device, push: &Push) -> DeliveryResult {
        // A second bound around all providers: whatever one of them does, a push must not outlive the lease.
        let sent = tokio::time::timeout(PUSH_TIME_MAX, self.send(device, push)).await;
        let result = match sent {
            Ok(result) => result.unwrap_or(DeliveryResult::NotConfigured),
            Err(_) => {
                DeliveryResult::Retry { after: None, reason: "no response in time".to_owned() }
            }
        };
        tracing::debug!(platform = ?device.platform, device = %device.id, ?result, "push");
        result
    }

    async fn check_address(&self, platform: Platform, address: &PushToken) -> Result<(), String> {
        match (platform, &self.webhook) {
            (Platform::Webhook, Some(webhook)) => webhook.check_address(address.secret()).await,
            (Platform::Webhook, None) => WebhookProvider::check_syntax(address.secret()),
            (Platform::Mail, _) => MailProvider::check_address(address.secret()),
            (Platform::Fcm | Platform::Apns, _) => Ok(()),
        }
    }

    async fn verify(&self, device: &Device, code: &VerificationCode) -> VerificationResult {
        let sending = async {
            match (device.platform, &self.webhook, &self.mail) {
                (Platform::Webhook, Some(webhook), _) => webhook.verify(device, code).await,
                (Platform::Mail, _, Some(mail)) => mail.verify(device, code).await,
                _ => VerificationResult::NotConfigured,
            }
        };
        let sent = tokio::time::timeout(PUSH_TIME_MAX, sending).await;
        sent.unwrap_or_else(|_| VerificationResult::Failed {
            reason: "the receiver did not respond in time".to_owned(),
        })
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
