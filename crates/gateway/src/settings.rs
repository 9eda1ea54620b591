//! What the operator chooses for one gateway.
//!
//! Owns the typed settings and their defaults. Does not own where they come from: the binary reads flags and files.

use std::fmt;
use std::sync::Arc;

use engine::usage::PriceTable;

use crate::authorization::{AccountKey, Issuer, RoleAssignments};
use crate::observe::TestControl;

/// Settings of a gateway; the default suits a laptop.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The key that signs requests.
    pub key: AccountKey,
    /// The issuer whose bearer tokens are believed; none: only those in the form of the emulators.
    pub issuer: Option<Arc<Issuer>>,
    /// What callers with a token of the issuer may do.
    pub role_assignments: Arc<RoleAssignments>,
    /// How far the date of a signed request may be from ours, in seconds; none: any date is taken.
    pub clock_skew_max_seconds: Option<u64>,
    /// Whether a cross-partition query that needs merging is refused with its plan, as the hosted gateway does.
    pub cross_partition: CrossPartition,
    /// The address told to clients; without it scheme and host of each request are told back.
    pub public_endpoint: Option<String>,
    /// Name of the region told to clients.
    pub region: String,
    /// Whether the page at `/_explorer/index.html` is served.
    pub explorer: bool,
    /// Bounds.
    pub limits: Limits,
    /// What throughput and storage cost, for reports.
    pub prices: PriceTable,
    /// Where lines about our own mistakes go.
    pub log: Log,
    /// What tests may do to this server; nothing unless it was started for them.
    pub test_control: Option<Arc<TestControl>>,
}

/// Where lines go that an operator should read; nowhere by default.
#[derive(Clone, Default)]
pub struct Log(Option<Arc<WriteLine>>);

type WriteLine = dyn Fn(&str) + Send + Sync;

impl Log {
    /// Lines go to a function.
    #[must_use]
    pub fn to(write: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(write)))
    }

    pub(crate) fn write(&self, line: &str) {
        if let Some(write) = &self.0 {
            write(line);
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Log")
    }
}

/// What happens to a query over all partitions whose answers a client would have to merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrossPartition {
    /// Refused with the plan; the client merges.
    Strict,
    /// Answered whole.
    Generous,
}

/// Bounds that keep one client from starving the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request body.
    pub body_bytes_max: usize,
    /// Bytes of all headers of a request.
    pub header_bytes_max: usize,
    /// Connections at a time; further ones wait to be accepted.
    pub connections_max: usize,
    /// How long a client may take to send the head of a request, in milliseconds.
    pub head_ms_max: u64,
    /// How long a client may take to send a body, in milliseconds.
    pub body_ms_max: u64,
    /// How long running requests may take to finish after a stop, in milliseconds.
    pub stop_ms_max: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            key: AccountKey::emulator(),
            issuer: None,
            role_assignments: Arc::default(),
            clock_skew_max_seconds: Some(15 * 60),
            cross_partition: CrossPartition::Strict,
            public_endpoint: None,
            region: "East US".to_owned(),
            explorer: true,
            limits: Limits::default(),
            prices: PriceTable::default(),
            log: Log::default(),
            test_control: None,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // An item of the greatest size, with room for the names around it in a batch.
            body_bytes_max: 2 * 1024 * 1024 + 64 * 1024,
            header_bytes_max: 32 * 1024,
            connections_max: 4096,
            head_ms_max: 120_000,
            body_ms_max: 30_000,
            stop_ms_max: 10_000,
        }
    }
}
