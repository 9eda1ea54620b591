//! What the operator chooses.

use serde::{Deserialize, Serialize};

use crate::settings::{Check, Settings};

/// Settings of telemetry, `Telemetry:OtlpEndpoint` and so on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct TelemetrySettings {
    /// Name of the service in what is exported; empty for the one the program gives itself.
    pub service_name: String,
    /// Address of a collector that takes OTLP over HTTP, such as `http://localhost:4318`; empty to export nothing.
    pub otlp_endpoint: String,
    /// Seconds between two exports.
    pub export_seconds: u64,
    /// Fields of spans, of the data call or around it, that become labels of metrics besides the closed lists. Every
    /// value makes a series: name `tenant` here only when tenants are few.
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
    /// The same, with the program's own name where the operator chose none.
    #[must_use]
    pub fn of_service(mut self, name: &str) -> Self {
        if self.service_name.is_empty() {
            name.clone_into(&mut self.service_name);
        }
        self
    }
}

impl Settings for TelemetrySettings {
    fn check(&self, check: &mut Check) {
        let endpoint = &self.otlp_endpoint;
        let is_address = endpoint.is_empty()
            || ["http://", "https://"].iter().any(|it| endpoint.starts_with(it));
        let allowed = "an address as http://localhost:4318, or nothing to export nothing";
        check.require("OtlpEndpoint", is_address, allowed);
        check.within("ExportSeconds", self.export_seconds, 1..=3600);
    }
}
