//! The command: reads arguments, runs the measurements, prints the table and writes it to a file.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use benchmarks::{ChildTask, Options, Result, run, run_child};
use clap::{Parser, Subcommand};

/// Benchmarks of the embedded engine beside the raw storage crate.
#[derive(Parser)]
struct Arguments {
    /// Items of the data set.
    #[arg(long, default_value_t = 200_000)]
    items: u64,
    /// Rounds of each side; the table shows medians.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Letters of the measurements to run, for example `a,b`.
    #[arg(long, value_delimiter = ',')]
    only: Vec<char>,
    /// Where to write the table, as Markdown.
    #[arg(long)]
    out: Option<PathBuf>,
    #[command(subcommand)]
    child: Option<Child>,
}

/// What the benchmark asks of a process of its own.
#[derive(Subcommand)]
enum Child {
    /// Runs one task and prints what it measured.
    #[command(hide = true)]
    Child {
        #[arg(long)]
        task: ChildTask,
        #[arg(long)]
        folder: PathBuf,
        #[arg(long)]
        items: u64,
        #[arg(long)]
        tape: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    match start(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn start(arguments: Arguments) -> Result<()> {
    let mut out = std::io::stdout();
    if let Some(Child::Child { task, folder, items, tape }) = arguments.child {
        return run_child(task, &folder, items, tape.as_deref(), &mut out);
    }
    let report = run(&Options {
        items: arguments.items,
        rounds: arguments.rounds,
        only: arguments.only,
        program: std::env::current_exe()?,
    })?;
    writeln!(out, "{}", report.table())?;
    if let Some(path) = arguments.out {
        std::fs::write(path, report.page())?;
    }
    Ok(())
}
