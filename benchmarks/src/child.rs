//! Child processes: tasks that must be killed, start cold or report their own memory.
//!
//! Contains both ends: starting this program again, and what it then does. A child prints its numbers as `name=value`,
//! one per line.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use clap::ValueEnum;
use indicatif::ProgressBar;
use storage_lsm::Durability;

use crate::meter::{now, resident_bytes};
use crate::queries::data as orders;
use crate::{Error, Result, data, progress};

/// What a child does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ChildTask {
    /// Loads a new store, recording a tape, and closes it.
    Load,
    /// Opens a store and reads one item.
    Open,
    /// Adds items durably until it is killed.
    Write,
    /// Loads a new store with the data set of the query benchmarks and closes it.
    LoadOrders,
}

/// Callers of a bulk load.
pub(crate) const LOADING_CALLERS: u64 = 100;

/// A store that syncs once per second.
pub(crate) const RELAXED: Durability = Durability::Relaxed { sync_every_ms: 1_000 };

/// The numbers that a child printed.
pub(crate) type ChildNumbers = HashMap<String, u64>;

/// A running child process.
pub(crate) struct ChildProcess(Child);

/// Starts this program again.
pub(crate) fn spawn(
    program: &Path,
    task: ChildTask,
    folder: &Path,
    items: u64,
    tape: Option<&Path>,
) -> Result<ChildProcess> {
    let name = task.to_possible_value().ok_or_else(|| Error::from("a task without name"))?;
    let mut command = Command::new(program);
    command.arg("child").arg("--task").arg(name.get_name());
    command.arg("--folder").arg(folder).arg("--items").arg(items.to_string());
    if let Some(tape) = tape {
        command.arg("--tape").arg(tape);
    }
    Ok(ChildProcess(command.stdout(Stdio::piped()).spawn()?))
}

/// Runs a command that prints numbers and returns them.
pub(crate) fn measured_by(command: &mut Command, what: &str) -> Result<ChildNumbers> {
    ChildProcess(command.stdout(Stdio::piped()).spawn()?).measured(what)
}

impl ChildProcess {
    /// Waits for the end and returns what the child measured.
    pub(crate) fn measured(mut self, what: &str) -> Result<ChildNumbers> {
        let output = self.0.stdout.take().ok_or_else(|| Error::from("a child without output"))?;
        let mut measured = ChildNumbers::new();
        for line in BufReader::new(output).lines() {
            let line = line?;
            if let Some((name, value)) = line.split_once('=') {
                measured.insert(name.to_owned(), value.parse()?);
            }
        }
        if self.0.wait()?.success() { Ok(measured) } else { Err(format!("{what} failed").into()) }
    }

    /// Waits for one line, then kills the child, which cannot clean up.
    pub(crate) fn kill_after_line(mut self) -> Result<()> {
        let output = self.0.stdout.take().ok_or_else(|| Error::from("a child without output"))?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        self.0.kill()?;
        self.0.wait()?;
        if line.is_empty() { Err("the child ended before it was killed".into()) } else { Ok(()) }
    }
}

/// A number that the child printed.
pub(crate) fn number(measured: &ChildNumbers, name: &str) -> Result<u64> {
    measured.get(name).copied().ok_or_else(|| format!("the child did not report {name}").into())
}

/// Runs a task in this process.
///
/// # Errors
/// Whatever went wrong.
pub fn run_child(
    task: ChildTask,
    folder: &Path,
    items: u64,
    tape: Option<&Path>,
    out: &mut impl Write,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match task {
            ChildTask::Load => load(folder, items, tape, out).await,
            ChildTask::Open => open(folder, out).await,
            ChildTask::Write => write(folder, items, out).await,
            ChildTask::LoadOrders => load_orders(folder, items, out).await,
        }
    })
}

async fn load(folder: &Path, items: u64, tape: Option<&Path>, out: &mut impl Write) -> Result<()> {
    let engine = data::open(folder, RELAXED, tape).await?;
    data::create_container(&engine).await?;
    let bar = progress::bar(items, "loading the data set");
    let quarter = items / 4;
    data::create_items(&engine, 0..quarter, LOADING_CALLERS, &bar).await?;
    let (_, peak_after_quarter) = resident_bytes()?;
    data::create_items(&engine, quarter..items, LOADING_CALLERS, &bar).await?;
    bar.finish_and_clear();
    engine.close().await?;
    let (_, peak) = resident_bytes()?;
    writeln!(out, "peak_after_quarter={peak_after_quarter}\npeak={peak}")?;
    Ok(())
}

async fn load_orders(folder: &Path, items: u64, out: &mut impl Write) -> Result<()> {
    orders::load(folder, items).await?;
    let (_, peak) = resident_bytes()?;
    writeln!(out, "peak={peak}")?;
    Ok(())
}

async fn open(folder: &Path, out: &mut impl Write) -> Result<()> {
    let started = now();
    let engine = data::open(folder, Durability::Synced, None).await?;
    let read = engine.read_item(data::read_item(&data::link()?, 0)?).await?;
    let opened = started.elapsed();
    let (resident, _) = resident_bytes()?;
    let usage = engine.read_container(&data::link()?).await?.value.usage;
    drop(read);
    writeln!(out, "open_us={}\nresident={resident}\nitems={}", opened.as_micros(), usage.items)?;
    engine.close().await?;
    Ok(())
}

/// Prints a line once a good part is written, and continues until killed.
async fn write(folder: &Path, items: u64, out: &mut impl Write) -> Result<()> {
    let engine = data::open(folder, Durability::Synced, None).await?;
    let bar = ProgressBar::hidden();
    let part = (items / 10).max(100);
    data::create_items(&engine, items..items + part, 16, &bar).await?;
    writeln!(out, "written={part}")?;
    out.flush()?;
    data::create_items(&engine, items + part..u64::MAX, 16, &bar).await
}
