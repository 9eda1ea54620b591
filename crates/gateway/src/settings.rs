//! The settings of a gateway.
//!
//! Owns the typed settings and their defaults. Does not own where they come from: the binary reads flags and files.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use engine::Engine;
use engine::usage::PriceTable;
use model::{ContainerProperties, DatabaseId, Json, Throughput};
use ui_kit::Asset;

use crate::authorization::{AccountKey, Issuer, RoleAssignments};
use crate::fault::FaultRules;
use crate::test_control::TestControl;

/// Settings of a gateway. The defaults suit a laptop.
#[derive(Clone, Debug)]
pub struct GatewaySettings {
    /// The key that signs requests.
    pub key: AccountKey,
    /// The trusted issuer of bearer tokens. Without one, only tokens in the form of the emulators are accepted.
    pub issuer: Option<Arc<Issuer>>,
    /// What callers with a token of the issuer may do.
    pub role_assignments: Arc<RoleAssignments>,
    /// How far the date of a signed request may be from ours, in seconds. `None` accepts any date.
    pub clock_skew_max_seconds: Option<u64>,
    /// Whether a cross-partition query that needs merging is refused with its plan, as the hosted gateway does.
    pub cross_partition: CrossPartition,
    /// The endpoint in the account document. Without it, each client gets the scheme and host that it used.
    pub public_endpoint: Option<String>,
    /// Whether a client that used the name `localhost` gets `127.0.0.1` in its place, as Microsoft's emulators answer.
    pub localhost_as_address: bool,
    /// Further host names that requests may name while the key is the public one of the emulators; `*` accepts all.
    /// Always accepted are the names of this machine and the host of `public_endpoint`.
    pub allowed_hosts: Vec<String>,
    /// Name of the region in the account document.
    pub region: String,
    /// The explorer at `/_explorer/`; `None` serves none.
    pub explorer: Option<ExplorerSettings>,
    /// Limits on connections and requests.
    pub limits: Limits,
    /// Whether `/metrics`, which needs no key, has series for each container. With the public key of the emulators they
    /// are always there: everybody can read the data anyway.
    pub container_metrics: bool,
    /// Faults to inject into requests; `None` injects none.
    pub faults: Option<Arc<FaultRules>>,
    /// The prices of throughput and storage, for usage reports.
    pub prices: PriceTable,
    /// Receives messages about internal errors.
    pub log: Log,
    /// Lets tests move the clock and split partitions. Only set for servers that are started by tests.
    pub test_control: Option<Arc<TestControl>>,
}

impl GatewaySettings {
    /// Whether metrics may name containers.
    pub(crate) fn shows_containers(&self) -> bool {
        self.container_metrics || self.key.is_well_known()
    }
}

/// Settings of the explorer.
#[derive(Clone, Debug, Default)]
pub struct ExplorerSettings {
    /// Its files. The UI kit is added.
    pub pages: &'static [Asset],
    /// Whether its sessions may only read.
    pub is_read_only: bool,
    /// Host names under which it is served, besides localhost and addresses.
    pub host_names: Vec<String>,
    /// Whether requests are recorded from the start, and not from the first sign-in.
    pub record_requests: bool,
    /// Says what a change of a container would do. The default says nothing.
    pub planner: ChangePlanner,
}

/// A change of a container that is to be planned.
#[derive(Clone, Debug)]
pub struct ContainerChange {
    /// The engine with the container.
    pub engine: Engine,
    /// The database of the container.
    pub database: DatabaseId,
    /// The container as it shall be.
    pub properties: ContainerProperties,
    /// Its throughput, if that shall be compared too.
    pub throughput: Option<Throughput>,
}

/// Plans changes of containers. A function, because the planner is a part of `service`, which builds on this crate.
#[derive(Clone, Default)]
pub struct ChangePlanner(Option<Arc<PlanFunction>>);

/// The plan as JSON, or why there is none.
pub type ChangePlan = Pin<Box<dyn Future<Output = Result<Json, String>> + Send>>;
type PlanFunction = dyn Fn(ContainerChange) -> ChangePlan + Send + Sync;

impl ChangePlanner {
    /// Plans with a function.
    #[must_use]
    pub fn new(plan: impl Fn(ContainerChange) -> ChangePlan + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(plan)))
    }

    pub(crate) fn plan(&self, change: ContainerChange) -> Option<ChangePlan> {
        self.0.as_ref().map(|plan| plan(change))
    }
}

impl fmt::Debug for ChangePlanner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ChangePlanner")
    }
}

/// Receives messages for the operator. The default drops them.
#[derive(Clone, Default)]
pub struct Log(Option<Arc<WriteLine>>);

type WriteLine = dyn Fn(&str) + Send + Sync;

impl Log {
    /// Passes each message to a function.
    #[must_use]
    pub fn new(write: impl Fn(&str) + Send + Sync + 'static) -> Self {
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

/// What happens to a query over all partitions whose results a client would have to merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrossPartition {
    /// Refused with the plan; the client merges.
    Strict,
    /// Merged by the server.
    Generous,
}

/// Limits that keep one client from starving the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of a request body, in bytes.
    pub body_bytes_max: usize,
    /// Maximum size of all headers of a request, in bytes.
    pub header_bytes_max: usize,
    /// Maximum number of open connections. For a further one, the connection that has been idle for the longest time
    /// is closed; while every connection has a request in progress, further clients wait to be accepted.
    pub connections_max: usize,
    /// Maximum number of open connections of one client address (for IPv6, of one network of 64 bits).
    pub connections_per_address_max: usize,
    /// Maximum number of requests in progress on one HTTP/2 connection. HTTP/1.1 has one at a time.
    pub requests_per_connection_max: u32,
    /// How long a new connection may take until the head of its first request has arrived, with the TLS handshake, in
    /// milliseconds.
    pub first_head_ms_max: u64,
    /// How long a connection may take to send the head of a later request, in milliseconds.
    pub head_ms_max: u64,
    /// How long a client may take to send a body, or read nothing of a response, in milliseconds.
    pub body_ms_max: u64,
    /// How long a page of a query may take, in milliseconds. Clients give up after about a minute; a page that ends
    /// earlier returns a continuation instead.
    pub page_ms_max: u64,
    /// How long a client may take to read a whole response, in milliseconds.
    pub response_ms_max: u64,
    /// How long running requests may take to finish after a shutdown, in milliseconds.
    pub stop_ms_max: u64,
}

impl Default for GatewaySettings {
    fn default() -> Self {
        Self {
            key: AccountKey::emulator(),
            issuer: None,
            role_assignments: Arc::default(),
            clock_skew_max_seconds: Some(15 * 60),
            cross_partition: CrossPartition::Strict,
            public_endpoint: None,
            localhost_as_address: false,
            allowed_hosts: Vec::new(),
            region: "East US".to_owned(),
            explorer: Some(ExplorerSettings::default()),
            limits: Limits::default(),
            container_metrics: false,
            faults: None,
            prices: PriceTable::default(),
            log: Log::default(),
            test_control: None,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // The largest item, plus room for the properties around it in a batch.
            body_bytes_max: 2 * 1024 * 1024 + 64 * 1024,
            header_bytes_max: 32 * 1024,
            connections_max: 4096,
            // Four clients can use everything, one cannot. A proxy in front needs more; see the flag.
            connections_per_address_max: 1024,
            requests_per_connection_max: 100,
            first_head_ms_max: 10_000,
            head_ms_max: 120_000,
            body_ms_max: 30_000,
            page_ms_max: 30_000,
            response_ms_max: 120_000,
            stop_ms_max: 10_000,
        }
    }
}
