//! What the operator chooses.

use serde::{Deserialize, Serialize};

/// Settings of telemetry, `Telemetry:OtlpEndpoint` and so on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct TelemetrySettings {
    /// Name of the service in what is exported.
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
            service_name: "service".to_owned(),
            otlp_endpoint: String::new(),
            export_seconds: 5,
            metric_labels: Vec::new(),
        }
    }
}
