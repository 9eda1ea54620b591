//! The settings section `Http`.

use serde::{Deserialize, Serialize};

use crate::settings::{SettingsSection, SettingsValidator};

/// The section `Http`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct HttpSettings {
    /// Address and port to listen at; port 0 chooses a free one.
    pub listen: String,
    /// Maximum size of a request body in bytes.
    pub body_bytes_max: usize,
    /// Maximum number of requests per caller and minute; 0 turns the limit off.
    pub requests_per_minute: u32,
    /// Seconds that running requests have to finish at shutdown.
    pub grace_seconds: u32,
    /// Seconds within which a connection must send the head of its next request; otherwise it is closed.
    pub header_seconds: u32,
    /// Maximum number of open connections; further ones wait until one is closed.
    pub connections_max: usize,
    /// Maximum number of open event streams; further ones get 503.
    pub streams_max: usize,
    /// Maximum number of open event streams per caller; further ones get 429.
    pub streams_per_caller: usize,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:8080".to_owned(),
            body_bytes_max: 1024 * 1024,
            requests_per_minute: 600,
            grace_seconds: 10,
            header_seconds: 30,
            connections_max: 10_000,
            streams_max: 5_000,
            streams_per_caller: 20,
        }
    }
}

impl SettingsSection for HttpSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        let is_address = self.listen.parse::<std::net::SocketAddr>().is_ok();
        validator.require(
            "Listen",
            is_address,
            "an address with a port, as 127.0.0.1:8080 or [::]:80",
        );
        validator.require_range("BodyBytesMax", self.body_bytes_max, 1024..=1024 * 1024 * 1024);
        validator.require_range("GraceSeconds", self.grace_seconds, 0..=600);
        validator.require_range("HeaderSeconds", self.header_seconds, 1..=600);
        validator.require_range("ConnectionsMax", self.connections_max, 1..=1_000_000);
        validator.require_range("StreamsMax", self.streams_max, 1..=1_000_000);
        validator.require_range("StreamsPerCaller", self.streams_per_caller, 1..=1_000_000);
    }
}
