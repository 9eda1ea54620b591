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
    /// Request units per workload, with everything; only ours.
    pub units: Option<f64>,
    /// Request units of a page of the pending list before and after; only ours.
    pub pending_units: Option<(f64, f64)>,
    /// The 99th percentile of rollbacks while the workers run; only ours.
    pub rollback_p99_ms: Option<f64>,
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
        row("request units per workload", &|side| side.units.map(|units| format!("{units:.1}")));
        row("pending list, RU before and after", &|side| {
            side.pending_units.map(|(before, after)| format!("{before:.2}, {after:.2}"))
        });
        row("rollback while the wave runs, p99 ms", &|side| {
            side.rollback_p99_ms.map(|ms| format!("{ms:.1}"))
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
