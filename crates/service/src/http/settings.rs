//! What the operator of a service chooses about HTTP: the section `Http`.

use serde::{Deserialize, Serialize};

use crate::settings::{Check, Settings};

/// The section `Http`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct HttpSettings {
    /// Address and port; port 0 takes a free one.
    pub listen: String,
    /// Bytes of a request body at most.
    pub body_bytes_max: usize,
    /// Requests of one caller in a minute; 0 turns the limit off.
    pub requests_per_minute: u32,
    /// Seconds that running requests get when the service stops.
    pub grace_seconds: u32,
    /// Seconds within which a connection must send the head of its next request; it is closed then.
    pub header_seconds: u32,
    /// Open connections at most; further ones wait until one is closed.
    pub connections_max: usize,
    /// Open streams of events at most; further ones get 503.
    pub streams_max: usize,
    /// Open streams of events of one caller at most; further ones get 429.
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

impl Settings for HttpSettings {
    fn check(&self, check: &mut Check) {
        let is_address = self.listen.parse::<std::net::SocketAddr>().is_ok();
        check.require("Listen", is_address, "an address with a port, as 127.0.0.1:8080 or [::]:80");
        check.within("BodyBytesMax", self.body_bytes_max, 1024..=1024 * 1024 * 1024);
        check.within("GraceSeconds", self.grace_seconds, 0..=600);
        check.within("HeaderSeconds", self.header_seconds, 1..=600);
        check.within("ConnectionsMax", self.connections_max, 1..=1_000_000);
        check.within("StreamsMax", self.streams_max, 1..=1_000_000);
        check.within("StreamsPerCaller", self.streams_per_caller, 1..=1_000_000);
    }
}
