//! The settings of one engine, chosen by the operator.
//!
//! Owns the typed settings and their defaults. Does not read flags and files: the binary does.

use model::{ChargeProfile, ConsistencyLevel};

/// Settings of an engine. The defaults suit a laptop and a unit test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSettings {
    /// Name of the account.
    pub account_id: String,
    /// How long superseded versions are kept for containers without a change feed policy, in seconds. The all-versions
    /// feed and time travel read them.
    pub version_retention_seconds: u64,
    /// Whether a replace is also charged for the removal of the old version, like in the hosted service.
    pub charge_profile: ChargeProfile,
    /// The default consistency level of reads. The two strongest levels double the charge of reads.
    pub consistency: ConsistencyLevel,
    /// Capacity of the writer queue of one physical partition; further callers wait.
    pub writer_queue_max: usize,
    /// The maximum number of operations of one physical partition in one commit.
    pub group_operations_max: usize,
    /// The maximum number of bytes in one commit.
    pub group_bytes_max: usize,
    /// Whether the engine runs maintenance in the background. Otherwise the caller runs [`crate::Engine::maintain`].
    pub maintenance: bool,
    /// Milliseconds between two rounds of maintenance.
    pub maintenance_every_ms: u64,
    /// The maximum number of items per physical partition and round of maintenance, so that requests keep their share
    /// of the writer.
    pub maintenance_items_max: usize,
    /// Whether the throughput of containers is enforced; [`crate::Engine::enforce_throughput`] overrides it for one
    /// container.
    pub enforce_throughput: bool,
    /// Whether a bounded sample of traffic is kept, with values of items and queries, to evaluate other partition keys.
    pub record_traffic: bool,
    /// Whether items keep the digits of their numbers. Otherwise numbers are stored as the service returns them: 1.0
    /// as 1, and numbers that are no 64-bit integers as doubles.
    pub exact_numbers: bool,
}

impl Default for EngineSettings {
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
            exact_numbers: false,
        }
    }
}
