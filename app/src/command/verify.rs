//! `planisphere verify`: checks that everything in a folder is consistent.
//!
//! The checks are those of the store for files and of the engine for their content; this prints the report.

use std::process::ExitCode;

use clap::Args;
use engine::verify::{PartitionReport, VerifyProgress, VerifyReport};
use storage_lsm::LsmStore;

use crate::error::CommandError;
use crate::open::{self, ExistingStore};
use crate::output::{line, thousands};
use crate::progress;

/// Check that the files of a store are whole, and that items, index terms, unique keys, the change feed and the
/// counters agree.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere verify --data DIR            print one line per physical partition, and every finding
  planisphere verify --data DIR && backup  continue only if the store is consistent

Nothing is repaired. Findings mean damage on disk or a bug in Planisphere: restore the folder from a backup, or export
what is readable with `planisphere export`, and please report them.

Exit codes: 0 consistent, 1 findings, 2 the store could not be opened or read.")]
pub(crate) struct VerifyCommand {
    #[command(flatten)]
    store: ExistingStore,
}

impl VerifyCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        self.verify_files()?;
        let report = open::block_on(self.verify())?;
        print(&report)?;
        Ok(if report.is_consistent() { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    /// Compares every file with its checksum, before opening the store changes any.
    fn verify_files(&self) -> Result<(), CommandError> {
        // The server of a database checks its files itself.
        if open::database_url(&self.store.data).is_some() {
            return Ok(());
        }
        open::refuse_missing(&self.store.data)?;
        LsmStore::verify_files(&self.store.data).map_err(|error| {
            let what = format!("cannot open the store at {}", self.store.data.display());
            CommandError::from_error(what, &error)
        })?;
        line(format_args!("files: every table matches its checksum"))
    }

    async fn verify(&self) -> Result<VerifyReport, CommandError> {
        let engine = self.store.open().await?;
        let bar = progress::bar(0, "verifying");
        let mut show = |progress: VerifyProgress| {
            bar.set_length(progress.items_all);
            bar.set_position(progress.items_done);
        };
        let report = engine.verify(&mut show).await;
        bar.finish_and_clear();
        // Nothing was written, so a failed close does not affect the findings.
        let _ = engine.close().await;
        report.map_err(|error| {
            CommandError::from_error(
                format!("verifying {}", open::shown_location(&self.store.data)),
                &error,
            )
        })
    }
}

fn print(report: &VerifyReport) -> Result<(), CommandError> {
    let mut container = None;
    for partition in &report.partitions {
        if container != Some(&partition.container) {
            container = Some(&partition.container);
            line(format_args!("container {}", partition.container))?;
        }
        print_partition(partition)?;
    }
    for finding in &report.findings {
        line(format_args!("finding: {finding}"))?;
    }
    let kept = u64::try_from(report.findings.len()).unwrap_or(u64::MAX);
    if report.findings_count > kept {
        line(format_args!("and {} more findings", thousands(report.findings_count - kept)))?;
    }
    let items = report.partitions.iter().map(|partition| partition.items).sum();
    let partitions = report.partitions.len();
    match report.findings_count {
        0 => line(format_args!(
            "consistent: {} items in {partitions} physical partitions",
            thousands(items)
        )),
        count => line(format_args!(
            "not consistent: {} findings among {} items in {partitions} physical partitions",
            thousands(count),
            thousands(items)
        )),
    }
}

fn print_partition(partition: &PartitionReport) -> Result<(), CommandError> {
    line(format_args!(
        "  physical partition {:<4} {:>12} items {:>14} bytes {:>12} index terms {:>8} versions, lsn {}",
        partition.partition,
        thousands(partition.items),
        thousands(partition.item_bytes),
        thousands(partition.terms),
        thousands(partition.versions),
        partition.lsn.0
    ))
}
