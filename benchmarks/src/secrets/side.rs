//! What was measured of one side.

use std::time::Duration;

use super::rollbacks::Rollbacks;
use super::run::SecretsSize;

/// What both sides took at one size.
#[derive(Clone, Debug)]
pub struct SizeResult {
    /// Clusters and workloads.
    pub size: SecretsSize,
    /// Our side.
    pub ours: SecretsSide,
    /// A page of 100 pending workloads beside no finished ones, and beside all of them; on our side.
    pub pending: (PendingList, PendingList),
    /// PostgreSQL, or why it was left out.
    pub peer: Result<SecretsSide, String>,
}

/// What one side took.
#[derive(Clone, Debug)]
pub struct SecretsSide {
    /// From the first claim to the last end.
    pub wall: Duration,
    /// Of all processes of the side, in that time.
    pub cpu: Duration,
    /// The rollbacks while a wave ran.
    pub rollbacks: Rollbacks,
}

/// What a page of the pending list costs.
#[derive(Clone, Copy, Debug)]
pub struct PendingList {
    /// Request units.
    pub units: f64,
    /// Processor time.
    pub cpu: Duration,
}

impl SecretsSide {
    /// Workloads per minute.
    pub(super) fn per_minute(&self, size: SecretsSize) -> f64 {
        size.total() as f64 * 60.0 / self.wall.as_secs_f64().max(1e-9)
    }

    /// Milliseconds of processor time per workload.
    pub(super) fn cpu_ms(&self, size: SecretsSize) -> f64 {
        self.cpu.as_secs_f64() * 1e3 / size.total() as f64
    }
}
