//! The providers behind the one trait, chosen by the device's platform.
//!
//! Owns opening those that have settings, and the answer for those that have none. Does not own any protocol.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use client::{Clock, SystemClock};
use service::settings::Check;

use super::apns::Apns;
use super::fcm::Fcm;
use super::mail::Mail;
use super::settings::{ProviderSettings, SettingsError, TIMEOUT_SECONDS_MAX};
use super::webhook::Webhook;
use super::words::{Delivery, Push, PushResult};
use crate::words::{Device, Platform};

/// A push takes no longer, whatever happens: an event's lease is for three devices.
const PUSH_TIME_MAX: Duration = Duration::from_secs(TIMEOUT_SECONDS_MAX);

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

type Opened<P> = Result<Option<P>, SettingsError>;

fn fcm(settings: &ProviderSettings, clock: &Arc<dyn Clock>) -> Opened<Fcm> {
    let begun = settings.fcm.is_begun();
    begun.then(|| Fcm::open(&settings.fcm, Arc::clone(clock))).transpose()
}

fn apns(settings: &ProviderSettings, clock: &Arc<dyn Clock>) -> Opened<Apns> {
    let begun = settings.apns.is_begun();
    begun.then(|| Apns::open(&settings.apns, Arc::clone(clock))).transpose()
}

fn webhook(settings: &ProviderSettings, clock: &Arc<dyn Clock>) -> Opened<Webhook> {
    let begun = settings.webhook.is_begun();
    begun.then(|| Webhook::open(&settings.webhook, Arc::clone(clock))).transpose()
}

fn mail(settings: &ProviderSettings, clock: &Arc<dyn Clock>) -> Opened<Mail> {
    let begun = settings.smtp.is_begun();
    begun.then(|| Mail::open(&settings.smtp, Arc::clone(clock))).transpose()
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
        for SettingsError { setting, wrong } in wrong.into_iter().flatten() {
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
