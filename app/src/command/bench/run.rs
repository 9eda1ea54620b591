//! The flags of the command, the order of its phases and the table it prints.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::folder::BenchFolder;
use super::measure::{Measurement, repeat_for, repeat_until_done};
use super::workload::Workload;
use crate::error::CommandError;
use crate::open::{self, StoreFlags};
use crate::output::{line, thousands};
use crate::progress;

/// Number of concurrent tasks while loading and under full load.
const TASKS_MAX: usize = 64;

/// Measure this machine: load items, then durable creates, point reads and the change feed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere bench                                 100 000 items in a new folder here, removed at the end
  planisphere bench --data /mnt/disk/try            another disk
  planisphere bench --items 1000000 --keep          more than fits in memory; keep the store
  planisphere bench --relaxed                       what waiting for the disk costs

Without --relaxed, a create counts only when it is on disk. The folder must be missing or empty: existing stores are
never touched.")]
pub(crate) struct BenchCommand {
    /// Folder for the store; missing or empty
    #[arg(long, value_name = "DIR", default_value = "planisphere-bench")]
    data: PathBuf,

    /// Items to load
    #[arg(long, value_name = "N", default_value_t = 100_000,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    items: u64,

    /// Bytes of one item
    #[arg(long, value_name = "BYTES", default_value_t = 512,
          value_parser = clap::value_parser!(u32).range(64..=1_900_000))]
    item_bytes: u32,

    /// Seconds for each measurement
    #[arg(long, value_name = "SECONDS", default_value_t = 3,
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,

    /// Keep the store
    #[arg(long)]
    keep: bool,

    #[command(flatten)]
    flags: StoreFlags,
}

impl BenchCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        let folder = BenchFolder::claim(&self.data)?;
        let outcome = open::block_on(self.measure());
        if self.keep && outcome.is_ok() {
            line(format_args!("kept in {}", self.data.display()))?;
        } else if !self.keep {
            folder.remove()?;
        }
        outcome.map(|()| ExitCode::SUCCESS)
    }

    async fn measure(&self) -> Result<(), CommandError> {
        let engine = self.flags.open(&self.data).await?;
        let acknowledged = if self.flags.relaxed { "relaxed" } else { "on disk" };
        line(format_args!(
            "{} items of {} bytes in {}; writes are acknowledged when {acknowledged}",
            thousands(self.items),
            thousands(u64::from(self.item_bytes)),
            self.data.display(),
        ))?;
        let workload = Workload::create(engine.clone(), self.item_bytes).await?;
        let measured = self.phases(&Arc::new(workload)).await;
        // A failed write explains more than a close that fails for the same reason.
        let closed = engine
            .close()
            .await
            .map_err(|error| CommandError::from_error("closing the store", &error));
        measured.and(closed)
    }

    async fn phases(&self, workload: &Arc<Workload>) -> Result<(), CommandError> {
        let bar = progress::bar(self.items, "loading");
        let items = self.items;
        let loaded = repeat_until_done(TASKS_MAX, bar, {
            let workload = Arc::clone(workload);
            move || {
                let workload = Arc::clone(&workload);
                async move { workload.load_next(items).await }
            }
        });
        report("load", &loaded.await?)?;
        for (name, tasks) in [("create, 1 at a time", 1), ("create, 64 at a time", TASKS_MAX)] {
            let workload = Arc::clone(workload);
            let create = move || {
                let workload = Arc::clone(&workload);
                async move { workload.create_next().await }
            };
            report(name, &repeat_for(tasks, self.seconds, "creating", create).await?)?;
        }
        for (name, tasks) in
            [("point read, 1 at a time", 1), ("point read, 64 at a time", TASKS_MAX)]
        {
            let workload = Arc::clone(workload);
            let read = move || {
                let workload = Arc::clone(&workload);
                async move { workload.read_any().await }
            };
            report(name, &repeat_for(tasks, self.seconds, "reading", read).await?)?;
        }
        let bar = progress::counter("following the change feed");
        report("change feed", &workload.follow_changes(bar).await?)
    }
}

fn report(name: &str, measured: &Measurement) -> Result<(), CommandError> {
    let Measurement { count, seconds, .. } = measured;
    let rate = measured.rate_per_second();
    let each = measured.microseconds_each().map_or_else(String::new, |microseconds| {
        format!(", {:>8} us each", thousands(microseconds))
    });
    line(format_args!(
        "{name:<26}{:>12} per second{each}   ({} in {seconds:.1} s)",
        thousands(rate),
        thousands(*count)
    ))
}
