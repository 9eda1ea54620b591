//! All settings of the event store, with those of every service.

use event_store::EventStoreSettings;
use serde::{Deserialize, Serialize};
use service::http::HttpSettings;
use service::identity::IdentitySettings;
use service::settings::{SettingsSection, SettingsValidator};
use service::telemetry::TelemetrySettings;

/// All sections. Checks the one of the store.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(super) struct EventStoreCommandSettings {
    pub(super) event_store: EventStoreSettings,
    pub(super) http: HttpSettings,
    pub(super) identity: IdentitySettings,
    pub(super) telemetry: TelemetrySettings,
}

/// The same, for a service: also checks identity, HTTP and telemetry.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct EventStoreServiceSettings(pub(super) EventStoreCommandSettings);

impl SettingsSection for EventStoreCommandSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        validator.section("EventStore", &self.event_store);
    }
}

impl SettingsSection for EventStoreServiceSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        self.0.validate(validator);
        validator.section("Http", &self.0.http);
        validator.section("Identity", &self.0.identity);
        validator.section("Telemetry", &self.0.telemetry);
    }
}
