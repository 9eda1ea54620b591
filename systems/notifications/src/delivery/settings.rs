//! The operator settings of push providers.
//!
//! Owns the names and defaults. Does not own where values come from (`service`), nor parsing keys: each provider does
//! that when it is opened.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use service::mail::SmtpSettings;
use service::settings::{ProviderSettingsError, Secret};

/// The endpoint of FCM for messages.
pub const FCM_ENDPOINT: &str = "https://fcm.googleapis.com";
/// The endpoint for access tokens of FCM.
pub const FCM_TOKEN_ENDPOINT: &str = "https://oauth2.googleapis.com/token";
/// The endpoint of APNs for released apps. Apps in development use `https://api.sandbox.push.apple.com`.
pub const APNS_ENDPOINT: &str = "https://api.push.apple.com";

/// The settings of all providers. A provider without settings is not configured.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct ProviderSettings {
    /// Firebase Cloud Messaging.
    pub fcm: FcmSettings,
    /// Apple Push Notification service.
    pub apns: ApnsSettings,
    /// Signed requests to a URL.
    pub webhook: WebhookSettings,
    /// Mail.
    pub smtp: SmtpSettings,
}

/// `Fcm:*`: the service account of a project.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct FcmSettings {
    /// Id of the project.
    pub project_id: String,
    /// Mail address of the service account.
    pub client_email: String,
    /// Its private key: RSA in PEM form. `\n` can represent a line break.
    pub private_key: Secret,
    /// Scheme and host, without a path.
    pub endpoint: String,
    /// The whole URL for access tokens.
    pub token_endpoint: String,
    /// A PEM file of certificates that are trusted in addition to the machine's. Empty means none.
    pub ca_file: String,
    /// The timeout of one request.
    pub timeout_seconds: u64,
}

/// `Apns:*`: a signing key of a team.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct ApnsSettings {
    /// Id of the team, ten characters.
    pub team_id: String,
    /// Id of the key, ten characters.
    pub key_id: String,
    /// The key: P-256 in PEM form (the `.p8` file). `\n` can represent a line break.
    pub private_key: Secret,
    /// Bundle id of the app.
    pub topic: String,
    /// Scheme and host, without a path. `http` means HTTP/2 without TLS.
    pub endpoint: String,
    /// A PEM file of certificates that are trusted in addition to the machine's. Empty means none.
    pub ca_file: String,
    /// The timeout of one request.
    pub timeout_seconds: u64,
}

/// `Webhook:*`: how requests to URLs are signed and where they may go.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct WebhookSettings {
    /// The signing secret: `whsec_` and base64, or a text. At least 24 bytes.
    pub secret: Secret,
    /// The timeout of one request.
    pub timeout_seconds: u64,
    /// The hosts that may be called. Empty means every public one.
    pub allowed_hosts: Vec<String>,
    /// Allows private addresses and plain HTTP, for a private network.
    pub allow_private_addresses: bool,
    /// A PEM file of certificates that are trusted in addition to the machine's. Empty means none.
    pub ca_file: String,
}

/// Long for a provider, and short compared to the lease of an event.
const TIMEOUT_SECONDS: u64 = 10;
/// Three devices in a row have to fit into the lease of an event, which is two minutes by default.
pub(super) const TIMEOUT_SECONDS_MAX: u64 = 25;

impl FcmSettings {
    /// Whether any setting of this section is set. If so, all required ones must be.
    pub(super) fn has_any_value(&self) -> bool {
        !self.project_id.is_empty() || !self.client_email.is_empty() || self.private_key.is_set()
    }
}

impl ApnsSettings {
    /// Whether any setting of this section is set. If so, all required ones must be.
    pub(super) fn has_any_value(&self) -> bool {
        let texts = [&self.team_id, &self.key_id, &self.topic];
        texts.iter().any(|text| !text.is_empty()) || self.private_key.is_set()
    }
}

impl WebhookSettings {
    /// Whether any setting of this section is set. If so, all required ones must be.
    pub(super) fn has_any_value(&self) -> bool {
        // Not the settings with a default, which are always set.
        self.secret.is_set() || !self.allowed_hosts.is_empty()
    }
}

impl Default for FcmSettings {
    fn default() -> Self {
        Self {
            project_id: String::new(),
            client_email: String::new(),
            private_key: Secret::default(),
            endpoint: FCM_ENDPOINT.to_owned(),
            token_endpoint: FCM_TOKEN_ENDPOINT.to_owned(),
            ca_file: String::new(),
            timeout_seconds: TIMEOUT_SECONDS,
        }
    }
}

impl Default for ApnsSettings {
    fn default() -> Self {
        Self {
            team_id: String::new(),
            key_id: String::new(),
            private_key: Secret::default(),
            topic: String::new(),
            endpoint: APNS_ENDPOINT.to_owned(),
            ca_file: String::new(),
            timeout_seconds: TIMEOUT_SECONDS,
        }
    }
}

impl Default for WebhookSettings {
    fn default() -> Self {
        Self {
            secret: Secret::default(),
            timeout_seconds: TIMEOUT_SECONDS,
            allowed_hosts: Vec::new(),
            allow_private_addresses: false,
            ca_file: String::new(),
        }
    }
}

/// Requires a setting not to be empty.
pub(super) fn require(setting: &str, value: &str) -> Result<(), ProviderSettingsError> {
    if value.trim().is_empty() {
        return Err(ProviderSettingsError::new(
            setting,
            "is empty; set it, or remove the whole section to run without this provider",
        ));
    }
    Ok(())
}

/// Validates a timeout.
pub(super) fn timeout(setting: &str, seconds: u64) -> Result<Duration, ProviderSettingsError> {
    if !(1..=TIMEOUT_SECONDS_MAX).contains(&seconds) {
        let wrong = format!("is {seconds}; it must be between 1 and {TIMEOUT_SECONDS_MAX} seconds");
        return Err(ProviderSettingsError::new(setting, &wrong));
    }
    Ok(Duration::from_secs(seconds))
}
