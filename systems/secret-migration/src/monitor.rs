//! What the workers report about themselves: their steps, to an observer, and counters.
//!
//! A process may crash after any step; tests crash it there through an observer.

use std::sync::atomic::{AtomicU64, Ordering};

/// A step of migrating one workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MigrationStep {
    /// The workload is claimed.
    Claim,
    /// The mapping of its namespace is known.
    ResolveMapping,
    /// Its secrets were read.
    ReadSource,
    /// One version of one path was written to the target.
    WritePath,
    /// All paths are written to the target.
    WriteTarget,
    /// What is on the target was read back and compared.
    Verify,
    /// The backend is switched.
    Switch,
    /// The rollout is triggered.
    Rollout,
    /// The workload is healthy.
    Health,
    /// The workload is migrated.
    Finish,
}

impl MigrationStep {
    /// All steps, in their order.
    pub const ALL: [Self; 10] = [
        Self::Claim,
        Self::ResolveMapping,
        Self::ReadSource,
        Self::WritePath,
        Self::WriteTarget,
        Self::Verify,
        Self::Switch,
        Self::Rollout,
        Self::Health,
        Self::Finish,
    ];

    /// Its place in the order, and its name in the audit.
    #[must_use]
    pub fn numbered_name(self) -> (usize, &'static str) {
        let number = Self::ALL.iter().position(|step| *step == self);
        (number.unwrap_or_default(), self.name())
    }

    /// Its name in the audit.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::ResolveMapping => "resolve-mapping",
            Self::ReadSource => "read-source",
            Self::WritePath => "write-path",
            Self::WriteTarget => "write-target",
            Self::Verify => "verify",
            Self::Switch => "switch",
            Self::Rollout => "rollout",
            Self::Health => "health",
            Self::Finish => "finish",
        }
    }
}

/// Is called after every step: first after its effect, then again after it is recorded.
pub trait MigrationObserver: Send + Sync {
    /// A step is done; `recorded` says whether its audit entry is written, too.
    fn on_step(&self, step: MigrationStep, recorded: bool);
}

/// What the workers of this process have done.
#[derive(Debug, Default)]
pub(crate) struct WorkerCounters {
    migrated: AtomicU64,
    failed: AtomicU64,
    rolled_back: AtomicU64,
    back_offs: AtomicU64,
}

/// What the workers of this process have done, as numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerTotals {
    /// Workloads migrated.
    pub migrated: u64,
    /// Attempts that failed.
    pub failed: u64,
    /// Workloads rolled back after a failed health check.
    pub rolled_back: u64,
    /// Pauses because a platform was busy.
    pub back_offs: u64,
}

impl WorkerCounters {
    pub(crate) fn count_migrated(&self) {
        self.migrated.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_rolled_back(&self) {
        self.rolled_back.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_back_off(&self) {
        self.back_offs.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn totals(&self) -> WorkerTotals {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        WorkerTotals {
            migrated: load(&self.migrated),
            failed: load(&self.failed),
            rolled_back: load(&self.rolled_back),
            back_offs: load(&self.back_offs),
        }
    }
}
