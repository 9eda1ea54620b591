//! All settings of the tracker, and the flags that provide them.
//!
//! The rules about values belong to the sections.

use std::path::PathBuf;

use clap::Args;
use secret_migration::{
    CertificateSettings, HookSettings, KubernetesSettings, MigrationSettings, RolloutSettings,
    SmpSettings, VaultSettings,
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
pub(super) struct TrackerSettings {
    pub(super) migration: MigrationSettings,
    pub(super) vault: VaultSettings,
    pub(super) smp: SmpSettings,
    pub(super) kubernetes: KubernetesSettings,
    pub(super) rollout: RolloutSettings,
    pub(super) hooks: HookSettings,
    pub(super) mtls: CertificateSettings,
    pub(super) http: HttpSettings,
    pub(super) identity: IdentitySettings,
    pub(super) telemetry: TelemetrySettings,
}

/// The same, for a service: also checks identity, HTTP and telemetry.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct TrackerServiceSettings(pub(super) TrackerSettings);

impl SettingsSection for TrackerSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        validator.section("Migration", &self.migration);
        validator.section("Smp", &self.smp);
        validator.section("Kubernetes", &self.kubernetes);
        validator.section("Hooks", &self.hooks);
    }
}

impl SettingsSection for TrackerServiceSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        self.0.validate(validator);
        validator.section("Mtls", &self.0.mtls);
        validator.section("Http", &self.0.http);
        validator.section("Identity", &self.0.identity);
        validator.section("Telemetry", &self.0.telemetry);
    }
}

/// Sources of settings besides the environment.
#[derive(Debug, Args)]
pub(super) struct TrackerSettingsFlags {
    /// TOML file with settings; environment variables such as VAULT__TOKEN override it
    #[arg(long = "settings", value_name = "FILE")]
    file: Option<PathBuf>,

    /// One setting; overrides file and environment; may be repeated
    #[arg(long, value_name = "SECTION:NAME=VALUE")]
    set: Vec<String>,
}

impl TrackerSettingsFlags {
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
