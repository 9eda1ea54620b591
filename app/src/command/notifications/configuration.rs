//! All settings of the service.
//!
//! The rules about values belong to the sections.

use notifications::delivery::{
    ApnsSettings, FcmSettings, ProviderSettings, SmtpSettings, WebhookSettings,
};
use serde::{Deserialize, Serialize};
use service::http::HttpSettings;
use service::identity::IdentitySettings;
use service::settings::{SettingsSection, SettingsValidator};
use service::telemetry::TelemetrySettings;

/// All sections. Checks those that the system itself needs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(super) struct AllSettings {
    pub(super) notifications: notifications::NotificationSettings,
    pub(super) fcm: FcmSettings,
    pub(super) apns: ApnsSettings,
    pub(super) webhook: WebhookSettings,
    pub(super) smtp: SmtpSettings,
    pub(super) http: HttpSettings,
    pub(super) identity: IdentitySettings,
    pub(super) telemetry: TelemetrySettings,
}

/// The same, for a service: also checks identity, HTTP and telemetry.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ServiceSettings(pub(super) AllSettings);

impl AllSettings {
    pub(super) fn providers(&self) -> ProviderSettings {
        let Self { fcm, apns, webhook, smtp, .. } = self.clone();
        ProviderSettings { fcm, apns, webhook, smtp }
    }
}

impl SettingsSection for AllSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        validator.section("Notifications", &self.notifications);
        self.providers().validate(validator);
    }
}

impl SettingsSection for ServiceSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        self.0.validate(validator);
        validator.section("Http", &self.0.http);
        validator.section("Identity", &self.0.identity);
        validator.section("Telemetry", &self.0.telemetry);
    }
}
