//! One run: both sides through the same phases, in turns.

use std::time::Duration;

use super::ours::EngineSide;
use super::postgresql::PostgresSide;
use super::report::WritesReport;
use crate::meter::TimeSpent;
use crate::{Result, progress};

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct WritesOptions {
    /// Items of the bulk load.
    pub items: u64,
    /// Callers of the engine, and connections to PostgreSQL.
    pub callers: usize,
    /// How long creates and replaces are measured, in milliseconds.
    pub measured_ms: u64,
    /// Whether PostgreSQL is measured too, if it is installed.
    pub with_peer: bool,
}

/// How fast one kind of write was.
#[derive(Clone, Copy, Debug, Default)]
pub struct WritePace {
    /// Writes per second.
    pub per_second: f64,
    /// CPU time of one write; of server and callers together.
    pub cpu_us: f64,
}

/// What one side has reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct WritesSide {
    /// Durable creates into an empty container.
    pub create: WritePace,
    /// Durable replaces that change one property.
    pub replace: WritePace,
    /// Items loaded without a sync for each.
    pub bulk: WritePace,
    /// Durable creates after the bulk load.
    pub create_after: WritePace,
    /// Bytes on disk at the end, without the journal.
    pub data_bytes: u64,
    /// Bytes of the journal.
    pub journal_bytes: u64,
    /// Items at the end.
    pub items: u64,
}

/// One side of the benchmark.
pub(super) trait WriteTarget {
    /// Creates items from this number on until the time is over; returns the end of the numbers and the time spent.
    fn create(&mut self, first: u64, time: Duration) -> Result<(u64, TimeSpent)>;
    /// Replaces items below this number until the time is over; returns how many and the time spent.
    fn replace(&mut self, items: u64, time: Duration) -> Result<(u64, TimeSpent)>;
    /// Loads the items of these numbers.
    fn load(&mut self, first: u64, end: u64) -> Result<TimeSpent>;
    /// Bytes of data and of the journal, when nothing is left to flush.
    fn disk_bytes(&mut self) -> Result<(u64, u64)>;
}

impl WritePace {
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below what a double holds")]
    fn of(writes: u64, spent: TimeSpent) -> Self {
        let writes = writes as f64;
        Self {
            per_second: writes / spent.wall.as_secs_f64().max(1e-9),
            cpu_us: spent.cpu.as_secs_f64() * 1e6 / writes.max(1.0),
        }
    }
}

/// Runs the benchmark of writes.
///
/// # Errors
/// Any failure: a missing number is better than a wrong one.
pub fn run_writes(options: &WritesOptions) -> Result<WritesReport> {
    progress::step("planisphere");
    let ours = measure(&mut EngineSide::open(options)?, options)?;
    let peer = match options.with_peer.then(|| PostgresSide::open(options)) {
        None => Err("left out (--no-peers)".to_owned()),
        Some(opened) => match opened? {
            Ok(mut side) => {
                progress::step("PostgreSQL");
                Ok(measure(&mut side, options)?)
            }
            Err(why) => Err(why),
        },
    };
    Ok(WritesReport { options: *options, ours, peer })
}

fn measure(side: &mut impl WriteTarget, options: &WritesOptions) -> Result<WritesSide> {
    let time = Duration::from_millis(options.measured_ms);
    progress::step("durable creates");
    let (created, creating) = side.create(0, time)?;
    progress::step("durable replaces");
    let (replaced, replacing) = side.replace(created, time)?;
    progress::step("bulk load");
    let loaded = created + options.items;
    let loading = side.load(created, loaded)?;
    progress::step("durable creates after the load");
    let (items, creating_after) = side.create(loaded, time)?;
    let (data_bytes, journal_bytes) = side.disk_bytes()?;
    Ok(WritesSide {
        create: WritePace::of(created, creating),
        replace: WritePace::of(replaced, replacing),
        bulk: WritePace::of(options.items, loading),
        create_after: WritePace::of(items - loaded, creating_after),
        data_bytes,
        journal_bytes,
        items,
    })
}
