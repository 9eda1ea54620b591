//! All settings of the world builder, with those of every service.

use serde::{Deserialize, Serialize};
use service::http::HttpSettings;
use service::identity::{IdentityMode, IdentitySettings};
use service::settings::{SettingsSection, SettingsValidator};
use service::telemetry::TelemetrySettings;
use worlds::{AccessMode, WorldsSettings};

/// All sections. Checks those of the system.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(super) struct WorldsCommandSettings {
    #[serde(flatten)]
    pub(super) system: WorldsSettings,
    pub(super) http: HttpSettings,
    pub(super) identity: IdentitySettings,
    pub(super) telemetry: TelemetrySettings,
}

/// The same, for a service: also checks identity, HTTP and telemetry.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct WorldsServiceSettings(pub(super) WorldsCommandSettings);

impl WorldsCommandSettings {
    /// The settings of identity: nobody signs in where everybody is one user.
    pub(super) fn identity(&self) -> IdentitySettings {
        match self.system.access_control.mode {
            AccessMode::Users => self.identity.clone(),
            AccessMode::Anonymous => {
                IdentitySettings { mode: IdentityMode::Session, ..self.identity.clone() }
            }
        }
    }
}

impl SettingsSection for WorldsCommandSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        self.system.validate(validator);
    }
}

impl SettingsSection for WorldsServiceSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        self.0.validate(validator);
        validator.section("Http", &self.0.http);
        validator.section("Identity", &self.0.identity());
        validator.section("Telemetry", &self.0.telemetry);
    }
}
