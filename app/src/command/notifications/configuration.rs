//! All settings of the service as one type, and the flags that give them.
//!
//! Owns which sections there are. Does not own any rule about a value: each section has its own.

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

use crate::command::warn;
use crate::failure::Failure;

/// Every section; checked as far as the system itself goes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(super) struct Everything {
    pub(super) notifications: notifications::NotificationSettings,
    pub(super) fcm: FcmSettings,
    pub(super) apns: ApnsSettings,
    pub(super) webhook: WebhookSettings,
    pub(super) smtp: SmtpSettings,
    pub(super) http: HttpSettings,
    pub(super) identity: IdentitySettings,
    pub(super) telemetry: TelemetrySettings,
}

/// The same, checked for a service: it has to know whom to believe and where to listen.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Served(pub(super) Everything);

impl Everything {
    pub(super) fn providers(&self) -> ProviderSettings {
        let Self { fcm, apns, webhook, smtp, .. } = self.clone();
        ProviderSettings { fcm, apns, webhook, smtp }
    }
}

impl SettingsSection for Everything {
    fn validate(&self, validator: &mut SettingsValidator) {
        validator.section("Notifications", &self.notifications);
        self.providers().validate(validator);
    }
}

impl SettingsSection for Served {
    fn validate(&self, validator: &mut SettingsValidator) {
        self.0.validate(validator);
        validator.section("Http", &self.0.http);
        validator.section("Identity", &self.0.identity);
        validator.section("Telemetry", &self.0.telemetry);
    }
}

/// Where settings come from, besides the environment.
#[derive(Debug, Args)]
pub(super) struct SettingsFlags {
    /// File with settings, as TOML; variables such as NOTIFICATIONS__BATCHSIZE win over it
    #[arg(long = "settings", value_name = "FILE")]
    file: Option<PathBuf>,

    /// One setting; wins over file and environment
    #[arg(long, value_name = "SECTION:NAME=VALUE")]
    set: Vec<String>,
}

impl SettingsFlags {
    /// Loads the settings and warns of names that mean nothing; `more` wins over everything.
    pub(super) fn load<T: SettingsSection>(
        &self,
        more: &[String],
    ) -> Result<LoadedSettings<T>, Failure> {
        let sources = match &self.file {
            Some(file) => SettingsBuilder::new().file(file),
            None => SettingsBuilder::new(),
        };
        let sources = sources.environment(std::env::vars()).flags(&self.set).flags(more);
        let loaded = sources.load::<T>().map_err(|mistakes| {
            let lines = mistakes.iter().map(|mistake| format!("\n  {mistake}"));
            let detail: String = lines.collect();
            Failure::new("reading the settings", "some are wrong")
                .way_out("Correct what is listed")
                .detail(detail)
        })?;
        loaded.warnings().iter().for_each(|warning| warn(warning));
        Ok(loaded)
    }
}
