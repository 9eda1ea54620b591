//! The figures of a run as a table, and the page that explains it.
//!
//! Owns the words. Names no host and no path: the page is committed.

use std::fmt::Write;
use std::time::Duration;

use super::run::{PATHS, SOURCE, STEPS, SecretsOptions};
use crate::meter::{load_average, machine};

/// What one side took.
#[derive(Clone, Debug)]
pub struct SecretsSide {
    /// From the first claim to the last end.
    pub wall: Duration,
    /// Of all processes of the side.
    pub cpu: Duration,
    /// Request units per workload, with everything, in the profiles azure and native; only ours.
    pub units: Option<(f64, f64)>,
    /// A page of 100 pending workloads beside no finished ones, and beside all of them; only ours.
    pub pending: Option<(PendingList, PendingList)>,
    /// What each rollback took while the workers ran, in milliseconds; only ours.
    pub rollbacks_ms: Vec<f64>,
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
    /// A percentile of the rollbacks.
    fn rollback_ms(&self, percent: usize) -> Option<f64> {
        let mut sorted = self.rollbacks_ms.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get((sorted.len() * percent).div_ceil(100).checked_sub(1)?).copied()
    }
}

/// What a run found.
#[derive(Clone, Debug)]
pub struct SecretsReport {
    /// What was run.
    pub options: SecretsOptions,
    /// Our side.
    pub ours: SecretsSide,
    /// PostgreSQL, or why there is none.
    pub peer: Result<SecretsSide, String>,
}

impl SecretsReport {
    fn per_minute(&self, side: &SecretsSide) -> f64 {
        let total = (self.options.clusters * self.options.workloads) as f64;
        total * 60.0 / side.wall.as_secs_f64().max(1e-9)
    }

    /// The table alone.
    #[must_use]
    pub fn tables(&self) -> String {
        let total = (self.options.clusters * self.options.workloads) as f64;
        let mut text = "| | planisphere | PostgreSQL |\n|---|---|---|\n".to_owned();
        let mut row = |what: &str, value: &dyn Fn(&SecretsSide) -> Option<String>| {
            let cell = |side: &SecretsSide| value(side).unwrap_or_else(|| "-".to_owned());
            let peer = match &self.peer {
                Ok(peer) => cell(peer),
                Err(why) => format!("**{why}**"),
            };
            let _ = writeln!(text, "| {what} | {} | {peer} |", cell(&self.ours));
        };
        row("workloads per minute", &|side| Some(format!("{:.0}", self.per_minute(side))));
        row("CPU per workload, ms", &|side| {
            Some(format!("{:.2}", side.cpu.as_secs_f64() * 1e3 / total))
        });
        row("RU per workload, azure and native", &|side| {
            side.units.map(|(azure, native)| format!("{azure:.1}, {native:.1}"))
        });
        row("page of 100 pending beside 0 and all finished, RU", &|side| {
            side.pending.map(|(zero, all)| format!("{:.2}, {:.2}", zero.units, all.units))
        });
        row("the same, CPU in ms", &|side| {
            let ms = |list: PendingList| list.cpu.as_secs_f64() * 1e3;
            side.pending.map(|(zero, all)| format!("{:.1}, {:.1}", ms(zero), ms(all)))
        });
        row("rollback while the workers run, p50 and p99 in ms", &|side| {
            let (half, most) = (side.rollback_ms(50)?, side.rollback_ms(99)?);
            Some(format!("{half:.1}, {most:.1} ({} rollbacks)", side.rollbacks_ms.len()))
        });
        text
    }

    /// The page.
    #[must_use]
    pub fn page(&self) -> String {
        let SecretsOptions { clusters, workloads, workers, .. } = self.options;
        let (cores, memory) = machine().unwrap_or_default();
        let load = load_average().unwrap_or_default();
        let gib = memory as f64 / (1024.0 * 1024.0 * 1024.0);
        format!(
            "# Load of the secrets migration tracker\n\nWritten by `cargo xtask bench secrets`. \
             {clusters} clusters with {workloads} workloads each, {workers} workers per cluster, \
             {PATHS} paths per workload, a source that takes {} ms per path. Both sides write a \
             claim, {STEPS} steps, a switch and an end, each durable. PostgreSQL claims with \
             `FOR UPDATE SKIP LOCKED`. {cores} cores, {gib:.0} GiB, load average {load}.\n\n{}",
            SOURCE.as_millis(),
            self.tables()
        )
    }
}
