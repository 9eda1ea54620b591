//! All settings of the chat, with those of every service.
//!
//! The rules about values belong to the sections.

use chat::ChatSettings;
use serde::{Deserialize, Serialize};
use service::http::HttpSettings;
use service::identity::{IdentityMode, IdentitySettings};
use service::settings::{SettingsSection, SettingsValidator};
use service::telemetry::TelemetrySettings;

/// All sections. Checks those that the system itself needs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(super) struct ChatCommandSettings {
    #[serde(flatten)]
    pub(super) chat: ChatSettings,
    pub(super) http: HttpSettings,
    pub(super) identity: IdentitySettings,
    pub(super) telemetry: TelemetrySettings,
}

/// The same, for a service: also checks the chat, identity, HTTP and telemetry.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ChatServiceSettings(pub(super) ChatCommandSettings);

/// The same, for a demonstration, which needs neither a pepper nor a way to send codes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ChatDemoSettings(pub(super) ChatCommandSettings);

impl ChatCommandSettings {
    /// Without an issuer of tokens there are only sessions.
    pub(super) fn identity(&self) -> IdentitySettings {
        let mut identity = self.identity.clone();
        let entra = &self.chat.entra_id;
        if entra.is_enabled() && identity.mode != IdentityMode::Demo {
            identity.issuer = entra.issuer();
            identity.callback_path.clone_from(&entra.callback_path);
            identity.signed_out_path.clone_from(&entra.signed_out_callback_path);
            identity.audience.clone_from(&entra.client_id);
            identity.client_id.clone_from(&entra.client_id);
            identity.client_secret = entra.client_secret.clone();
        }
        if identity.mode == IdentityMode::Jwt && identity.issuer.is_empty() {
            identity.mode = IdentityMode::Session;
        }
        let origins = self.chat.cors.allowed_origins.iter().cloned();
        identity.allowed_origins.extend(origins);
        identity
    }
}

impl SettingsSection for ChatCommandSettings {}

impl SettingsSection for ChatServiceSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        self.0.chat.validate(validator);
        validator.section("Http", &self.0.http);
        validator.section("Identity", &self.0.identity());
        validator.section("Telemetry", &self.0.telemetry);
    }
}

impl SettingsSection for ChatDemoSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        let mut chat = self.0.chat.clone();
        chat.chat.development = true;
        chat.validate(validator);
        validator.section("Http", &self.0.http);
        validator.section("Telemetry", &self.0.telemetry);
    }
}
