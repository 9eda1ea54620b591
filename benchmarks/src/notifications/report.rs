//! The figures of a run as tables, and the page that explains them.
//!
//! Owns the words. Names no host and no path: the page is committed.

use std::fmt::Write;

use super::mix;
use super::run::NotificationsOptions;
use super::side::{Outcomes, SideResult};
use super::tenths::Tenth;
use crate::meter::{load_average, machine};

/// How much dearer in request units the last tenth may be than the first.
const GROWTH_MAX: f64 = 1.1;

/// One figure of a tenth.
type TenthValue = fn(&Tenth) -> f64;

/// What a run found.
#[derive(Clone, Debug)]
pub struct NotificationsReport {
    /// What was run.
    pub options: NotificationsOptions,
    /// Events per second of the steady part, on both sides.
    pub per_second: f64,
    /// Our side.
    pub ours: SideResult,
    /// PostgreSQL, or why there is none.
    pub peer: Result<SideResult, String>,
    /// Request units of an enqueue.
    pub enqueue_units: f64,
    /// Request units of processing one event.
    pub drain_units: f64,
    /// Request units of the change feed and its leases for one event.
    pub feed_units: f64,
}

impl NotificationsReport {
    /// How much dearer the last tenth of the backlog was than the first, in request units; none without tenths.
    #[must_use]
    pub fn unit_growth(&self) -> Option<f64> {
        let units = |tenth: Option<&Tenth>| tenth.and_then(|tenth| tenth.request_units);
        Some(units(self.ours.tenths.last())? / units(self.ours.tenths.first())?)
    }

    /// The tables alone.
    #[must_use]
    pub fn tables(&self) -> String {
        let mut text = String::new();
        self.write_compared(&mut text);
        self.write_tenths(&mut text);
        self.write_outcomes(&mut text);
        text
    }

    fn write_compared(&self, text: &mut String) {
        *text += "| measurement | planisphere | PostgreSQL | ratio |\n|---|---|---|---|\n";
        self.row(text, "events enqueued per second", |side| side.enqueue.per_second, count);
        self.row(text, "CPU per enqueue", |side| side.enqueue.cpu_us, microseconds);
        self.row(text, "events fully processed per second (drain)", |s| s.drain.per_second, count);
        self.row(text, "CPU per event processed", |side| side.drain.cpu_us, microseconds);
        let pace = format!("from enqueue to list at {:.0} events per second", self.per_second);
        self.row(text, &format!("{pace}, p50"), |side| side.latency.p50_ms, milliseconds);
        self.row(text, &format!("{pace}, p99"), |side| side.latency.p99_ms, milliseconds);
        let Self { enqueue_units, drain_units, feed_units, .. } = self;
        let all = enqueue_units + drain_units + feed_units;
        // A string takes every write; so below.
        let _ = writeln!(
            text,
            "| request units per event (azure) | {all:.1} RU: enqueue {enqueue_units:.1}, processing {drain_units:.1}, \
             change feed and leases {feed_units:.1} | – | |",
        );
        self.row(text, "on disk at the end", |side| side.disk_bytes as f64, mebibytes);
        self.row(text, "of these, journal", |side| side.journal_bytes as f64, mebibytes);
        self.row(text, "memory after the drain", |side| side.resident_bytes as f64, mebibytes);
    }

    fn row(
        &self,
        text: &mut String,
        what: &str,
        value: impl Fn(&SideResult) -> f64,
        shown: impl Fn(f64) -> String,
    ) {
        let ours = value(&self.ours);
        let (peer, ratio) = match &self.peer {
            Ok(side) => {
                let peer = value(side);
                (shown(peer), format!("{:.2}x", ours / peer))
            }
            Err(why) => (format!("**{why}**"), String::new()),
        };
        let _ = writeln!(text, "| {what} | {} | {peer} | {ratio} |", shown(ours));
    }

    fn write_tenths(&self, text: &mut String) {
        *text += "\n| tenth of the backlog | events per second | CPU per event | RU per event | PostgreSQL, events per \
                  second | PostgreSQL, CPU per event |\n|---|---|---|---|---|---|\n";
        let peer = self.peer.as_ref().map(|side| side.tenths.as_slice()).unwrap_or_default();
        for (place, tenth) in self.ours.tenths.iter().enumerate() {
            let Tenth { per_second, cpu_us, request_units } = tenth;
            let of_peer = peer.get(place).map_or("| ".to_owned(), |tenth| {
                format!("{} | {}", count(tenth.per_second), microseconds(tenth.cpu_us))
            });
            let _ = writeln!(
                text,
                "| {} | {} | {} | {:.2} | {of_peer} |",
                place + 1,
                count(*per_second),
                microseconds(*cpu_us),
                request_units.unwrap_or_default(),
            );
        }
        let (rate, cpu): (TenthValue, TenthValue) =
            (|tenth| tenth.per_second, |tenth| tenth.cpu_us);
        let ours = &self.ours.tenths;
        let growth = self.unit_growth().unwrap_or(f64::NAN);
        let met = if growth <= GROWTH_MAX { "met" } else { "**not met**" };
        let _ = writeln!(
            text,
            "| last to first | {} | {} | {growth:.3}x (at most {GROWTH_MAX}x: {met}) | {} | {} |",
            ratio(ours, rate),
            ratio(ours, cpu),
            ratio(peer, rate),
            ratio(peer, cpu),
        );
    }

    fn write_outcomes(&self, text: &mut String) {
        *text += "\n| outcome | events, planisphere | events, PostgreSQL |\n|---|---|---|\n";
        let none = Outcomes::default();
        let peer = self.peer.as_ref().map_or(&none, |side| &side.outcomes);
        let shown = |count: Option<u64>| count.map_or(String::new(), |count| count.to_string());
        for (name, events) in &self.ours.outcomes.events {
            let of_peer = shown(peer.events.get(name).copied());
            let _ = writeln!(text, "| `{name}` | {events} | {of_peer} |");
        }
        let of_peer = shown(self.peer.is_ok().then_some(peer.notifications));
        let ours = self.ours.outcomes.notifications;
        let _ = writeln!(text, "| items of all lists | {ours} | {of_peer} |");
    }

    /// The page around the tables.
    #[must_use]
    pub fn page(&self) -> String {
        let (cores, memory) = machine().unwrap_or_default();
        let load = load_average().unwrap_or_default();
        let NotificationsOptions { users, events, .. } = self.options;
        let mix = mix::description();
        format!(
            "# Load of the notifications system\n\n\
             Written by `cargo xtask bench notifications --users {users} --events {events} --out \
             benchmarks/NOTIFICATIONS.md`\n\
             on a shared machine with {cores} cores and {memory:.0} GiB of memory, load average {load} (15 minutes, \
             at the end; ours is about 2).\n\
             {users} users, {events} events enqueued first and then drained by two workers, then {steady} more at a \
             pace. One run of each side; ratios\nare planisphere to PostgreSQL.\n\n\
             {tables}\n{MEANING}\nThe mix: {mix}\n",
            memory = memory as f64 / f64::from(1 << 30),
            steady = events / 10,
            tables = self.tables(),
        )
    }
}

const MEANING: &str = "\
## What the rows mean

- **Enqueue**: `Notifications::enqueue`, one create each, on the embedded engine in a folder that syncs every commit;
  one `INSERT` and one commit each on PostgreSQL. 32 callers on both sides.
- **Drain**: the whole backlog is there before the first worker starts. Two workers, each with 16 events at once: two
  dispatchers with the defaults of `planisphere notifications serve` on a queue of two physical partitions; two times 16
  connections on PostgreSQL. The time ends when both workers have read all that is new, which on our side includes their
  own writes to the queue, since a claim and an end come through the change feed again. A push is answered at once.
- **CPU** is that of our whole process; of the server's processes and of ours for PostgreSQL.
- **A tenth** is a tenth of all ends of events. It concerns a tenth of the users, all of whose events lie in it, so
  every tenth has the same mix of outcomes and lists of the same length; what could grow is what the backlog itself
  costs: the queue, its indexes, the files. Request units are those of items: the claim, questions, the list, the end.
- **From enqueue to list**: the same number of events per second on both sides, half of what the slower side drains. On
  our side until a subscriber that looks into the change feed of `notifications` every 2 ms sees the item; on PostgreSQL
  until the commit that holds it has returned, which no subscriber could beat. Only events count that became an item of
  their own. An enqueue wakes the workers inside the process on both sides.
- **Request units** are what the engine counted in the profile azure, all containers together.
- **On disk** is the folder of the store, and the data folder of the server; the journal is part of it on both sides.
- **Memory** is resident memory of our process, and of all processes of the server with shared pages counted once.

## Read with care

- PostgreSQL does the storage work alone: no templates, no validation, no fan-out to other processes, no HTTP on either
  side. Ids are numbers there, texts of 36 characters here.
- Durable commits of an event after its enqueue: PostgreSQL two, the claim and one transaction for everything else. Ours
  three: the claim, the item of the list, the end, because the list and the queue are containers of their own and a
  transaction does not leave a logical partition. Each of ours waits for a sync, which all events in work share.
- Our workers deliver the events of a user in their order. `SKIP LOCKED` does not; an advisory lock for each user only
  keeps two events from overlooking each other.
- Ours indexes every path, as the seed of the system says (`Indexing` `full`); PostgreSQL has the nine indexes its
  questions need.
- PostgreSQL has 256 MiB of shared buffers, `fsync` and `synchronous_commit` on, and otherwise its defaults.
- All of it shares one machine and one disk; the ratio says more than the figures.
";

/// The last tenth beside the first.
fn ratio(tenths: &[Tenth], value: TenthValue) -> String {
    match (tenths.first(), tenths.last()) {
        (Some(first), Some(last)) => format!("{:.2}x", value(last) / value(first)),
        _ => String::new(),
    }
}

fn count(value: f64) -> String {
    format!("{value:.0}/s")
}

fn microseconds(value: f64) -> String {
    format!("{value:.0} us")
}

fn milliseconds(value: f64) -> String {
    format!("{value:.1} ms")
}

fn mebibytes(value: f64) -> String {
    format!("{:.0} MiB", value / f64::from(1 << 20))
}
