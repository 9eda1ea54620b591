//! What the operator chooses about providers.
//!
//! Owns the names, defaults and completeness of the settings. Does not own where they are read from, nor reading keys
//! out of them; each provider does that when it opens.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use service::settings::Secret;

/// Where FCM takes messages.
pub const FCM_ENDPOINT: &str = "https://fcm.googleapis.com";
/// Where access tokens for FCM come from.
pub const FCM_TOKEN_ENDPOINT: &str = "https://oauth2.googleapis.com/token";
/// Where APNs takes messages of released apps; `https://api.sandbox.push.apple.com` is the one for apps in development.
pub const APNS_ENDPOINT: &str = "https://api.push.apple.com";

/// NotificationSettings of all providers; a provider without settings is not configured.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct ProviderSettings {
    /// Android and, through the same provider, others.
    pub fcm: FcmSettings,
    /// Apple's devices.
    pub apns: ApnsSettings,
    /// Signed requests to a URL.
    pub webhook: WebhookSettings,
    /// Mail.
    pub smtp: SmtpSettings,
}

/// `FcmProvider:*`: the service account of a project.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct FcmSettings {
    /// Id of the project.
    pub project_id: String,
    /// Mail address of the service account.
    pub client_email: String,
    /// Its private key: RSA, PEM; `\n` may stand for a line end.
    pub private_key: Secret,
    /// Scheme and host, without a path.
    pub endpoint: String,
    /// The whole URL.
    pub token_endpoint: String,
    /// A file of certificates in PEM form that are trusted beside the machine's; empty means none.
    pub ca_file: String,
    /// For one request.
    pub timeout_seconds: u64,
}

/// `ApnsProvider:*`: a signing key of a team.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct ApnsSettings {
    /// Id of the team, ten characters.
    pub team_id: String,
    /// Id of the key, ten characters.
    pub key_id: String,
    /// The key: P-256, PEM (the `.p8` file); `\n` may stand for a line end.
    pub private_key: Secret,
    /// Bundle id of the app.
    pub topic: String,
    /// Scheme and host, without a path. `http` means HTTP/2 without TLS.
    pub endpoint: String,
    /// A file of certificates in PEM form that are trusted beside the machine's; empty means none.
    pub ca_file: String,
    /// For one request.
    pub timeout_seconds: u64,
}

/// `WebhookProvider:*`: how requests to URLs are signed and where they may go.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct WebhookSettings {
    /// At least 24 bytes; or `whsec_` and base64.
    pub secret: Secret,
    /// For one request.
    pub timeout_seconds: u64,
    /// Hosts that may be called; empty means every public one.
    pub allowed_hosts: Vec<String>,
    /// Lets requests go to private addresses and over plain HTTP: for networks of one's own.
    pub allow_private_addresses: bool,
    /// A file of certificates in PEM form that are trusted beside the machine's; empty means none.
    pub ca_file: String,
}

/// `Smtp:*`: the relay that takes our mail.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct SmtpSettings {
    /// Name of the relay.
    pub host: String,
    /// 0 means the usual one: 587 with STARTTLS, 465 with TLS, 25 without either.
    pub port: u16,
    /// How the connection is protected.
    pub security: SmtpSecurity,
    /// Empty means no login.
    pub username: String,
    /// Goes with the name.
    pub password: Secret,
    /// The sender: an address, or a name and an address in angle brackets.
    pub from: String,
    /// A file of certificates in PEM form that are trusted beside the machine's; empty means none.
    pub ca_file: String,
    /// For one mail.
    pub timeout_seconds: u64,
}

/// How a mail connection is protected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SmtpSecurity {
    /// Plain at first, TLS before anything is said; never without.
    #[default]
    StartTls,
    /// TLS from the first byte.
    Tls,
    /// Plain: for a relay on the same machine.
    None,
}

/// NotificationSettings that cannot work; the text names the setting and the way out, and no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderSettingsError {
    pub(super) setting: String,
    pub(super) wrong: String,
}

/// Long for a provider, short beside the lease of an event.
const TIMEOUT_SECONDS: u64 = 10;
/// An event's lease lasts two minutes, and a user has three devices.
pub(super) const TIMEOUT_SECONDS_MAX: u64 = 25;

impl FcmSettings {
    /// Whether somebody has begun to fill this section.
    pub(super) fn has_any_value(&self) -> bool {
        !self.project_id.is_empty() || !self.client_email.is_empty() || self.private_key.is_set()
    }
}

impl ApnsSettings {
    /// Whether somebody has begun to fill this section.
    pub(super) fn has_any_value(&self) -> bool {
        let texts = [&self.team_id, &self.key_id, &self.topic];
        texts.iter().any(|text| !text.is_empty()) || self.private_key.is_set()
    }
}

impl WebhookSettings {
    /// Whether somebody has begun to fill this section.
    pub(super) fn has_any_value(&self) -> bool {
        self.secret.is_set() || !self.allowed_hosts.is_empty()
    }
}

impl SmtpSettings {
    /// Whether somebody has begun to fill this section.
    pub(super) fn has_any_value(&self) -> bool {
        let texts = [&self.host, &self.from, &self.username];
        texts.iter().any(|text| !text.is_empty()) || self.password.is_set()
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

impl Default for SmtpSettings {
    fn default() -> Self {
        Self {
            host: String::new(),
            port: 0,
            security: SmtpSecurity::default(),
            username: String::new(),
            password: Secret::default(),
            from: String::new(),
            ca_file: String::new(),
            timeout_seconds: TIMEOUT_SECONDS,
        }
    }
}

impl ProviderSettingsError {
    pub(super) fn new(setting: &str, wrong: &str) -> Self {
        Self { setting: setting.to_owned(), wrong: wrong.to_owned() }
    }
}

impl std::fmt::Display for ProviderSettingsError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {}", self.setting, self.wrong)
    }
}

impl std::error::Error for ProviderSettingsError {}

/// Refuses an empty setting by its name.
pub(super) fn require(setting: &str, value: &str) -> Result<(), ProviderSettingsError> {
    if value.trim().is_empty() {
        return Err(ProviderSettingsError::new(
            setting,
            "is empty; set it, or leave out the whole section to run without this provider",
        ));
    }
    Ok(())
}

/// A timeout in its bounds.
pub(super) fn timeout(setting: &str, seconds: u64) -> Result<Duration, ProviderSettingsError> {
    if !(1..=TIMEOUT_SECONDS_MAX).contains(&seconds) {
        let wrong = format!("is {seconds}; it must be between 1 and {TIMEOUT_SECONDS_MAX} seconds");
        return Err(ProviderSettingsError::new(setting, &wrong));
    }
    Ok(Duration::from_secs(seconds))
}
