//! What the operator chooses for one engine.
//!
//! Owns the typed settings and their defaults. Does not own where they come from: the binary reads flags and files.

use model::{ChargeProfile, ConsistencyLevel};

/// Settings of an engine; the default suits a laptop and a unit test alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Name of the account.
    pub account_id: String,
    /// How long superseded versions are kept for containers without a change feed policy, in seconds. They serve the
    /// all-versions feed and travel in time.
    pub version_retention_seconds: u64,
    /// Whether a replace pays for the removal of the old version, as the hosted service has it.
    pub charge_profile: ChargeProfile,
    /// How fresh a read is unless it asks for less; the two strongest levels double what reads cost.
    pub consistency: ConsistencyLevel,
    /// Operations waiting for one physical partition before further callers wait.
    pub writer_queue_max: usize,
    /// Operations of one physical partition committed together at most.
    pub group_operations_max: usize,
    /// Bytes of item text in one group at most.
    pub group_bytes_max: usize,
    /// Whether the engine runs maintenance by itself. Off, somebody calls [`crate::Engine::maintain`].
    pub maintenance: bool,
    /// Milliseconds between two rounds of maintenance.
    pub maintenance_every_ms: u64,
    /// Items one round of maintenance handles per physical partition at most, so that requests keep their share.
    pub maintenance_items_max: usize,
    /// Whether containers are held to their throughput, unless [`crate::Engine::enforce_throughput`] says otherwise for
    /// one of them.
    pub enforce_throughput: bool,
    /// Whether a bounded sample of traffic is kept, with values of items and queries, so that another partition key can
    /// be tried on it.
    pub record_traffic: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            account_id: "planisphere".to_owned(),
            version_retention_seconds: 5 * 60,
            charge_profile: ChargeProfile::Azure,
            consistency: ConsistencyLevel::Session,
            writer_queue_max: 1024,
            group_operations_max: 128,
            group_bytes_max: 4 * 1024 * 1024,
            maintenance: true,
            maintenance_every_ms: 1000,
            maintenance_items_max: 512,
            enforce_throughput: false,
            record_traffic: false,
        }
    }
}
