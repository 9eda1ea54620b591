//! The figures of a run as tables, and the page that explains them.
//!
//! Owns the words. Names no host and no path: the page is committed.

use std::fmt::Write;

use super::rollbacks::wave_workloads;
use super::run::{FULL, PATHS, SOURCE, STEPS, SecretsSize};
use super::side::{SecretsSide, SizeResult};
use crate::meter::{load_average, machine};

/// What the largest throughput of the containers pays for, in request units per second.
const THROUGHPUT_MAX: f64 = 4_000.0;
/// The longest rollback of a hundred, in milliseconds.
const ROLLBACK_MAX_MS: f64 = 100.0;
/// How much dearer a page of the pending list may be beside all finished workloads.
const GROWTH_MAX: f64 = 1.1;

/// What a run found.
#[derive(Clone, Debug)]
pub struct SecretsReport {
    /// Workers of each cluster.
    pub workers: usize,
    /// By size.
    pub results: Vec<SizeResult>,
    /// Request units per workload, with everything, in the profile azure.
    pub azure: f64,
    /// The same in the profile native.
    pub native: f64,
    /// What else the page says about the run.
    pub note: String,
}

impl SecretsReport {
    /// The tables alone.
    #[must_use]
    pub fn tables(&self) -> String {
        let mut text = String::new();
        for result in &self.results {
            result.write(&mut text);
        }
        let Self { azure, native, .. } = self;
        let paid = THROUGHPUT_MAX * 60.0 / azure;
        // A string takes every write; so below.
        let _ = writeln!(
            text,
            "| all sizes | azure | native |\n|---|---|---|\n\
             | request units per workload, all reads and writes | {azure:.1} | {native:.1} |\n\
             | workloads per minute that 4,000 RU/s pay for | {paid:.0} | {:.0} |",
            THROUGHPUT_MAX * 60.0 / native,
        );
        text
    }

    /// The page around the tables.
    #[must_use]
    pub fn page(&self) -> String {
        let (cores, memory) = machine().unwrap_or_default();
        let load = load_average().unwrap_or_default();
        let sizes: Vec<String> = self.results.iter().map(|one| one.size.to_string()).collect();
        let sizes = sizes.join(",");
        let is_full = FULL.iter().all(|full| self.results.iter().any(|one| one.size == *full));
        let scale = match is_full {
            true => String::new(),
            false => {
                let full = FULL.map(|size: SecretsSize| size.to_string()).join(" and ");
                format!("**A smaller run**: the requirement (SM-A14) names {full}.\n")
            }
        };
        format!(
            "# Load of the secrets migration tracker\n\n\
             Written by `cargo xtask bench secrets --sizes {sizes} --out benchmarks/SECRETS.md` on a shared machine \
             with\n{cores} cores and {memory:.0} GiB of memory, load average {load} (15 minutes, at the end; ours is \
             about 2). {workers} workers per cluster,\n{PATHS} paths per workload, a source that takes {source} ms \
             per request. One run of each side; ratios are planisphere to\nPostgreSQL. \
             {note}\n{scale}\n{tables}\n{MEANING}",
            memory = memory as f64 / f64::from(1 << 30),
            workers = self.workers,
            note = self.note,
            source = SOURCE.as_millis(),
            tables = self.tables(),
        ) + &format!(
            "- Both sides write a claim, {STEPS} steps, a switch and an end for each workload, each durable before \
             the next.\n"
        )
    }
}

impl SizeResult {
    fn write(&self, text: &mut String) {
        let size = self.size;
        let SecretsSize { clusters, workloads } = size;
        let clusters = match clusters {
            1 => "1 cluster".to_owned(),
            _ => format!("{clusters} clusters"),
        };
        let _ = writeln!(
            text,
            "| {clusters} with {workloads} workloads | planisphere | PostgreSQL | ratio |\n|---|---|---|---|"
        );
        self.row(text, "workloads per minute", |side| Some(side.per_minute(size)), 0);
        self.row(text, "CPU per workload, ms", |side| Some(side.cpu_ms(size)), 2);
        let wave = format!("rollback beside a wave of {}", wave_workloads(size));
        for percent in [50, 99] {
            let what = format!("{wave}, p{percent}, ms");
            self.row(text, &what, |side| side.rollbacks.percentile_ms(percent), 1);
        }
        let (zero, all) = self.pending;
        let growth = all.units / zero.units;
        let ms = |cpu: std::time::Duration| cpu.as_secs_f64() * 1e3;
        let _ = writeln!(
            text,
            "| page of 100 pending beside none finished | {:.2} RU, {:.2} ms of CPU | | |\n\
             | the same beside {workloads} finished | {:.2} RU, {:.2} ms of CPU | | |\n\n\
             Rollbacks: {} here; p99 at most {ROLLBACK_MAX_MS:.0} ms: {}. Pending list {growth:.3} times as dear \
             (at most {GROWTH_MAX}): {}.\n",
            zero.units,
            ms(zero.cpu),
            all.units,
            ms(all.cpu),
            self.ours.rollbacks.count(),
            met(self.ours.rollbacks.percentile_ms(99).is_some_and(|p99| p99 <= ROLLBACK_MAX_MS)),
            met(growth <= GROWTH_MAX),
        );
    }

    fn row(
        &self,
        text: &mut String,
        what: &str,
        value: impl Fn(&SecretsSide) -> Option<f64>,
        digits: usize,
    ) {
        let shown = |value: Option<f64>| match value {
            Some(value) => format!("{value:.digits$}"),
            None => "-".to_owned(),
        };
        let ours = value(&self.ours);
        let (peer, ratio) = match &self.peer {
            Ok(side) => {
                let peer = value(side);
                let ratio = ours.zip(peer).map(|(ours, peer)| format!("{:.2}x", ours / peer));
                (shown(peer), ratio.unwrap_or_default())
            }
            Err(why) => (format!("**{why}**"), String::new()),
        };
        let _ = writeln!(text, "| {what} | {} | {peer} | {ratio} |", shown(ours));
    }
}

fn met(is_met: bool) -> &'static str {
    if is_met { "met" } else { "**not met**" }
}

const MEANING: &str = "\
## What the rows mean

- **Workloads per minute**: from the first claim to the last end, everything pending before. The tracker with its real
  workers on the embedded engine in a folder that syncs every commit; on PostgreSQL as many connections, which claim
  with `FOR UPDATE SKIP LOCKED`. Secrets come from a source in the same process that sleeps; the target only counts
  versions.
- **CPU** is that of our whole process; of the server's processes and of ours for PostgreSQL.
- **Rollback**: an operator rolls migrated workloads back, one after another, while a wave runs in the same cluster. It
  first asks the source for every path at once, as the guard of a rollback demands: 5 ms of each time are the source's.
- **Pending list**: the question of the workers, before any workload is finished and after all of the cluster are.
- **Request units** are what the engine counted for all containers in a run over 200 workloads, divided by them.

## Read with care

- PostgreSQL does the storage work alone: no copying, no fingerprints, no waves, no leases that are renewed, no etags.
- A change of a workload and its audit entry are one transaction on PostgreSQL and two durable commits here, because
  they are in two containers and a transaction does not leave a logical partition.
- PostgreSQL has 256 MiB of shared buffers, `fsync` and `synchronous_commit` on, and otherwise its defaults.
- All of it shares one machine and one disk; the ratio and the processor time say more than the rates.
";
