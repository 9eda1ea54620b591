//! All settings of the service, and the flags that provide them.
//!
//! The rules about values belong to the sections.

use std::path::PathBuf;

use clap::Args;
use notifications::delivery::{
    ApnsSettings, FcmSettings, ProviderSettings, SmtpSettings, WebhookSettings,
};
use serde::{Deserialize, Serialize};
use service::http::HttpSettings;
use service::identity::IdentitySettings;
use service::settings::{LoadedSettings, SettingsBuilder, SettingsSection, SettingsValidator};
use service::telemetry::TelemetrySettings;

use crate::error::CommandError;
use crate::output::warn;

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

/// Sources of settings besides the environment.
#[derive(Debug, Args)]
pub(super) struct SettingsFlags {
    /// TOML file with settings; environment variables such as NOTIFICATIONS__BATCHSIZE override it
    #[arg(long = "settings", value_name = "FILE")]
    file: Option<PathBuf>,

    /// One setting; overrides file and environment; may be repeated
    #[arg(long, value_name = "SECTION:NAME=VALUE")]
    set: Vec<String>,
}

impl SettingsFlags {
    /// Loads the settings and warns about unknown names. `more` overrides everything.
    pub(super) fn load<T: SettingsSection>(
        &self,
        more: &[String],
    ) -> Result<LoadedSettings<T>, CommandError> {
        let sources = match &self.file {
            Some(file) => SettingsBuilder::new().file(file),
            None => SettingsBuilder::new(),
        };
        let sources = sources.environment(std::env::vars()).flags(&self.set).flags(more);
        let loaded = sources.load::<T>().map_err(|mistakes| {
            let lines = mistakes.iter().map(|mistake| format!("\n  {mistake}"));
            let detail: String = lines.collect();
            CommandError::new("reading the settings", "some are invalid")
                .hint("Correct the listed settings")
                .detail(detail)
        })?;
        loaded.warnings().iter().for_each(|warning| warn(warning));
        Ok(loaded)
    }
}
