//! The settings of one engine, chosen by the operator.
//!
//! Owns the typed settings and their defaults. Does not read flags and files: the binary does.

use std::time::Duration;

use model::{ChargeProfile, ConsistencyLevel};

use crate::script_runtime::ScriptLimits;

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
    /// Units of work that one query, patch condition or other evaluation may spend: tuples of joins, calls of
    /// functions, and 64 bytes that are read or built; about 100 ns each.
    pub request_work_max: u64,
    /// How many long evaluations run at the same time; the others wait for their turn, which comes every few
    /// milliseconds. Zero means one less than the machine has cores, and at least one.
    pub evaluations_at_once_max: usize,
    /// How many long evaluations are begun at the same time, each on a thread of its own; further requests wait within
    /// their time limit.
    pub evaluation_threads_max: usize,
    /// Bytes that all evaluations together may hold, beyond 1 MiB that each one has.
    pub evaluation_memory_max: usize,
    /// Items with at least so many bytes are parsed, checked and indexed on threads of their own and not in the
    /// partition writer. Smaller ones never leave their task: an item of 16 KiB has at most 8,000 values, whose terms
    /// take a few milliseconds, and an ordinary one of that size a fraction of it.
    pub large_item_bytes: usize,
    /// Whether a bounded sample of traffic is kept, with values of items and queries, to evaluate other partition keys.
    pub record_traffic: bool,
    /// Whether items keep the digits of their numbers. Otherwise numbers are stored as the service returns them: 1.0
    /// as 1, and numbers that are no 64-bit integers as doubles.
    pub exact_numbers: bool,
    /// By which rule physical partitions are split in the background, besides those whose throughput needs more of
    /// them; by none if absent.
    pub auto_split: Option<AutoSplit>,
    /// What scripts may consume.
    pub scripts: ScriptSettings,
}

/// What one script may consume, and how many run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptSettings {
    /// Time of a request with scripts, and of one call of a user-defined function, in milliseconds.
    pub time_max_ms: u64,
    /// Bytes of the heap of a script.
    pub memory_bytes_max: usize,
    /// Bytes of the stack of a script. Threads of the runtime have 2 MiB.
    pub stack_bytes_max: usize,
    /// Bytes of a response, and of the items that a script sends at once.
    pub output_bytes_max: usize,
    /// Operations of a script on its container.
    pub operations_max: usize,
    /// Bytes of the log of a script.
    pub log_bytes_max: usize,
    /// How many scripts run at the same time; further ones wait within their time. Zero means twice the number of
    /// cores, and at least four.
    pub at_once_max: usize,
}

impl ScriptSettings {
    pub(crate) fn limits(&self) -> ScriptLimits {
        ScriptLimits {
            time_max: Duration::from_millis(self.time_max_ms),
            memory_bytes_max: self.memory_bytes_max,
            stack_bytes_max: self.stack_bytes_max,
            output_bytes_max: self.output_bytes_max,
            operations_max: self.operations_max,
            log_bytes_max: self.log_bytes_max,
        }
    }
}

impl Default for ScriptSettings {
    /// The time is that of the service; the others leave room for scripts that the service would run.
    fn default() -> Self {
        Self {
            time_max_ms: 5_000,
            memory_bytes_max: 64 << 20,
            stack_bytes_max: 512 << 10,
            output_bytes_max: 4 << 20,
            operations_max: 10_000,
            log_bytes_max: 16 << 10,
            at_once_max: 0,
        }
    }
}

/// When a physical partition is too large or too hot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutoSplit {
    /// A partition with more bytes of items is too large.
    pub item_bytes_max: u64,
    /// A partition that spends at least so many request units per second, for five minutes, is too hot.
    pub request_units_max: u32,
}

impl Default for AutoSplit {
    /// The service stores at most 50 GB in a physical partition. It serves at most 10,000 request units per second from
    /// one; 80 percent of that leaves room for the load to grow while the partition is copied.
    fn default() -> Self {
        Self { item_bytes_max: 50 * 1024 * 1024 * 1024, request_units_max: 8000 }
    }
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
            large_item_bytes: 16 * 1024,
            record_traffic: false,
            request_work_max: 1_000_000_000,
            evaluations_at_once_max: 0,
            evaluation_threads_max: 64,
            evaluation_memory_max: 1 << 30,
            exact_numbers: false,
            auto_split: None,
            scripts: ScriptSettings::default(),
        }
    }
}

/// What background work has done since an engine was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaintenanceTotals {
    /// Rounds that ended without an error.
    pub rounds: u64,
    /// Expired items reclaimed.
    pub expired: u64,
    /// Items whose index terms were rebuilt.
    pub rebuilt: u64,
    /// Superseded versions trimmed.
    pub trimmed: u64,
    /// Storage entries of retired shards and of old query results removed.
    pub reclaimed: u64,
}
