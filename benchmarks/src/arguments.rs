//! The command line of the benchmarks of scripts and of the event store.
//!
//! Owns their flags and where their tables go. The other benchmarks are in `main.rs`.

use std::io::Write;
use std::path::{Path, PathBuf};

use benchmarks::{EventsOptions, Result, ScriptOptions, run_events, run_scripts};
use clap::Args;

/// How scripts are measured.
#[derive(Args)]
pub(crate) struct ScriptArguments {
    /// Calls of each side; the table shows medians.
    #[arg(long, default_value_t = 200)]
    calls: usize,
    /// Items that a function is called for.
    #[arg(long, default_value_t = 10_000)]
    items: usize,
    /// Where to write the table, as Markdown.
    #[arg(long)]
    out: Option<PathBuf>,
}

impl ScriptArguments {
    pub(crate) fn run(self, out: &mut impl Write) -> Result<()> {
        let options = ScriptOptions { calls: self.calls, items: self.items };
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let report = runtime.block_on(run_scripts(options))?;
        writeln!(out, "{report}")?;
        if let Some(path) = self.out {
            std::fs::write(path, report.page())?;
        }
        Ok(())
    }
}

/// How the event store is loaded.
#[derive(Args)]
pub(crate) struct EventsArguments {
    /// Events of the store when a tag is read, ascending.
    #[arg(long, value_delimiter = ',', default_values_t = [100, 10_000, 1_000_000])]
    sizes: Vec<usize>,
    /// How long each append is measured, in milliseconds.
    #[arg(long, default_value_t = 1_000)]
    measured_ms: u64,
    /// Leave out UmaDB, which has to be installed.
    #[arg(long)]
    no_peers: bool,
    /// Where the programs of UmaDB are; `peers` beside the build if absent.
    #[arg(long)]
    peers: Option<PathBuf>,
    /// Leave out PostgreSQL, which has to be installed.
    #[arg(long)]
    no_postgres: bool,
    /// A sentence for the page, such as what else ran on the machine.
    #[arg(long, default_value = "")]
    note: String,
    /// Where to write the tables, as Markdown.
    #[arg(long)]
    out: Option<PathBuf>,
}

impl EventsArguments {
    pub(crate) fn run(self, out: &mut impl Write) -> Result<()> {
        let program = std::env::current_exe()?;
        let beside = program.parent().and_then(Path::parent).map(|target| target.join("peers"));
        let report = run_events(&EventsOptions {
            sizes: self.sizes,
            measured_ms: self.measured_ms,
            peers: self.peers.or(beside).filter(|_| !self.no_peers),
            with_postgres: !self.no_postgres,
            note: self.note,
        })?;
        writeln!(out, "{}", report.tables())?;
        match self.out {
            Some(path) => Ok(std::fs::write(path, report.page())?),
            None => Ok(()),
        }
    }
}
