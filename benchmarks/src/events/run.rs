//! One run: our store on both providers, a plain table, UmaDB.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::load::measure;
use super::ours::OurStore;
use super::plain::PlainTable;
use super::report::EventsReport;
use super::umadb;
use crate::meter::wait_until_idle;
use crate::scratch_server::{NOT_INSTALLED, ScratchServer};
use crate::{Result, progress};

/// A server whose every commit is durable, with as much memory for pages as the engine has for blocks.
const SERVER: [&str; 4] =
    ["shared_buffers=256MB", "fsync=on", "synchronous_commit=on", "max_connections=200"];

/// What to run.
#[derive(Clone, Debug)]
pub struct EventsOptions {
    /// Sizes of the store at which a tag is read, ascending.
    pub sizes: Vec<usize>,
    /// How long each append is measured, in milliseconds.
    pub measured_ms: u64,
    /// Where the programs of UmaDB are; left out if absent.
    pub peers: Option<PathBuf>,
    /// Whether PostgreSQL is measured too, if it is installed.
    pub with_postgres: bool,
    /// What else the page says about the run.
    pub note: String,
}

/// What one side did.
#[derive(Clone, Debug, Default)]
pub struct EventsSide {
    /// Its name.
    pub name: String,
    /// Events per second, by shape.
    pub appends: Vec<f64>,
    /// Conditional appends per second that happened: one tag, a tag of its own for each writer.
    pub conditional: Vec<f64>,
    /// Milliseconds of reading a tag, by size.
    pub tag_reads_ms: Vec<f64>,
    /// Events per second of a read of everything.
    pub read_all: Option<f64>,
    /// Events per second of a projection.
    pub projected: Option<f64>,
    /// Milliseconds from an append to a reader that waits.
    pub live_ms: Option<f64>,
}

impl EventsOptions {
    pub(super) fn measured(&self) -> Duration {
        Duration::from_millis(self.measured_ms)
    }
}

/// Runs the benchmark of the event store.
///
/// # Errors
/// Whatever went wrong, also when a side loses an event.
pub fn run_events(options: &EventsOptions) -> Result<EventsReport> {
    let is_ascending = options.sizes.is_sorted_by(|one, other| one < other);
    if options.sizes.first().is_none_or(|least| *least < 100) || !is_ascending {
        return Err("sizes ascend, from at least 100".into());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (mut sides, mut missing) = (Vec::new(), Vec::new());
    sides.push(runtime.block_on(embedded(options))?);
    wait_until_idle()?;
    match options.with_postgres.then(|| ScratchServer::start(&SERVER)).transpose()?.flatten() {
        Some(server) => {
            sides.push(runtime.block_on(on_postgres(&server.address(), options))?);
            sides.push(runtime.block_on(plain(&server.address(), options))?);
        }
        None => missing.push(format!("PostgreSQL: {NOT_INSTALLED}")),
    }
    match options.peers.as_deref().map(|peers| umadb::measure(peers, options)).transpose()? {
        Some(Ok(side)) => sides.push(side),
        Some(Err(why)) => missing.push(format!("umadb: {why}")),
        None => missing.push("umadb: left out (--no-peers)".to_owned()),
    }
    let (sizes, note) = (options.sizes.clone(), options.note.clone());
    Ok(EventsReport { sizes, sides, missing, note, measured_ms: options.measured_ms })
}

async fn embedded(options: &EventsOptions) -> Result<EventsSide> {
    let folder = tempfile::Builder::new().prefix("benchmarks-events").tempdir()?;
    let (store, account) = OurStore::embedded(folder.path()).await?;
    let side = measure("ours, embedded", Arc::new(store), options).await?;
    account.close().await?;
    Ok(side)
}

async fn on_postgres(address: &str, options: &EventsOptions) -> Result<EventsSide> {
    let store = OurStore::postgres(address).await?;
    measure("ours, PostgreSQL", Arc::new(store), options).await
}

async fn plain(address: &str, options: &EventsOptions) -> Result<EventsSide> {
    progress::step("plain table: creating it");
    let store = PlainTable::create(address).await?;
    measure("plain table", Arc::new(store), options).await
}
