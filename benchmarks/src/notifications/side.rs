//! What is measured of one side.

use std::collections::BTreeMap;

use super::tenths::Tenth;
use crate::meter::TimeSpent;

/// How fast and how dear.
#[derive(Clone, Copy, Debug)]
pub struct SidePace {
    /// Events per second.
    pub per_second: f64,
    /// Processor time per event; of the server and of the program that uses it.
    pub cpu_us: f64,
}

/// From the answer to an enqueue until the notification is in the list.
#[derive(Clone, Copy, Debug)]
pub struct Latency {
    /// Half stay below.
    pub p50_ms: f64,
    /// 99 of 100 stay below.
    pub p99_ms: f64,
    /// How many notifications were seen.
    pub seen: u64,
}

/// Events by status and reason, as `STATUS` or `STATUS reason`; and the items of all lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Events by their outcome.
    pub events: BTreeMap<String, u64>,
    /// Items of all lists.
    pub notifications: u64,
}

/// All that is measured of one side.
#[derive(Clone, Debug)]
pub struct SideResult {
    /// Taking events in.
    pub enqueue: SidePace,
    /// Working them off.
    pub drain: SidePace,
    /// The same in tenths.
    pub tenths: Vec<Tenth>,
    /// While events come in at half the rate.
    pub latency: Latency,
    /// Outcomes of all events.
    pub outcomes: Outcomes,
    /// Bytes on disk at the end.
    pub disk_bytes: u64,
    /// How many of them are journal.
    pub journal_bytes: u64,
    /// Memory after the drain.
    pub resident_bytes: u64,
}

/// What is known of a side after its backlog is drained.
pub(super) struct Drained {
    pub(super) enqueue: SidePace,
    pub(super) drain: SidePace,
    pub(super) tenths: Vec<Tenth>,
    pub(super) resident_bytes: u64,
}

impl SidePace {
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below what a double holds")]
    pub(super) fn of(events: u64, spent: TimeSpent) -> Self {
        let events = events as f64;
        Self {
            per_second: events / spent.wall.as_secs_f64().max(1e-9),
            cpu_us: spent.cpu.as_secs_f64() * 1e6 / events.max(1.0),
        }
    }
}

impl Drained {
    /// The side as a whole.
    pub(super) fn with(
        self,
        latency: Latency,
        outcomes: Outcomes,
        (disk_bytes, journal_bytes): (u64, u64),
    ) -> SideResult {
        let Self { enqueue, drain, tenths, resident_bytes } = self;
        SideResult {
            enqueue,
            drain,
            tenths,
            latency,
            outcomes,
            disk_bytes,
            journal_bytes,
            resident_bytes,
        }
    }
}
