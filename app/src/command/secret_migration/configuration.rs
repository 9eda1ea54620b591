//! All settings of the tracker.
//!
//! The rules about values belong to the sections.

use secret_migration::{
    CertificateSettings, HookSettings, KubernetesSettings, MigrationSettings, RolloutSettings,
    SmpSettings, VaultSettings,
};
use serde::{Deserialize, Serialize};
use service::http::HttpSettings;
use service::identity::IdentitySettings;
use service::settings::{SettingsSection, SettingsValidator};
use service::telemetry::TelemetrySettings;

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
