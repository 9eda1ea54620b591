//! The settings section `Telemetry`.

use serde::{Deserialize, Serialize};

use crate::settings::{SettingsSection, SettingsValidator};

/// The section `Telemetry`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct TelemetrySettings {
    /// Name of the service in exported data; empty for the name that the program gives.
    pub service_name: String,
    /// URL of a collector for OTLP over HTTP, such as `http://localhost:4318`; empty to export nothing.
    pub otlp_endpoint: String,
    /// Seconds between two exports.
    pub export_seconds: u64,
    /// Span fields that become labels of metrics, of the data call or its ancestors. Every value is a time series: name
    /// `tenant` here only if there are few tenants.
    pub metric_labels: Vec<String>,
}

impl Default for TelemetrySettings {
    fn default() -> Self {
        Self {
            service_name: String::new(),
            otlp_endpoint: String::new(),
            export_seconds: 5,
            metric_labels: Vec::new(),
        }
    }
}

impl TelemetrySettings {
    /// The same settings with this service name, unless the operator set one.
    #[must_use]
    pub fn with_default_service_name(mut self, name: &str) -> Self {
        if self.service_name.is_empty() {
            name.clone_into(&mut self.service_name);
        }
        self
    }
}

impl SettingsSection for TelemetrySettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        let endpoint = &self.otlp_endpoint;
        let is_address = endpoint.is_empty()
            || ["http://", "https://"].iter().any(|scheme| endpoint.starts_with(scheme));
        let allowed = "an address as http://localhost:4318, or nothing to export nothing";
        validator.require("OtlpEndpoint", is_address, allowed);
        validator.require_range("ExportSeconds", self.export_seconds, 1..=3600);
    }
}
