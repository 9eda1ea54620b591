//! The rows of a run as tables, and the page that explains them.
//!
//! Owns the words. Names no host and no path: the page is committed.

use std::fmt::Write;

use super::compare::{Comparison, LoadResult};
use super::run::GatewayOptions;
use super::work::RequestKind;
use crate::meter::{load_average, machine};

/// Our server beside something that does less.
#[derive(Clone, Debug)]
pub struct ComparedRow {
    /// Letter in the table.
    pub letter: char,
    /// What was asked.
    pub what: &'static str,
    /// Bytes of an answer, where both sides give the same.
    pub answer_bytes: Option<usize>,
    /// Our server.
    pub ours: LoadResult,
    /// The name of what it is measured against.
    pub beside: &'static str,
    /// What it is measured against.
    pub other: LoadResult,
    /// Answers per second of ours to those of the other: the median of the rounds.
    pub ratio: f64,
    /// The least ratio that is wanted.
    pub ratio_min: Option<f64>,
    pub(super) work: RequestKind,
}

/// What a row is measured against, and the ratio that is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowTarget {
    pub(super) beside: &'static str,
    pub(super) ratio_min: Option<f64>,
}

/// A fact about our server alone.
#[derive(Clone, Debug)]
pub struct FactRow {
    /// What was measured.
    pub what: &'static str,
    /// The number.
    pub value: f64,
    /// The number with its unit.
    pub text: String,
    /// What is wanted at most.
    pub value_max: Option<f64>,
}

/// A peer asked the same.
#[derive(Clone, Debug)]
pub struct PeerRow {
    /// Its name.
    pub peer: &'static str,
    /// What was asked.
    pub what: &'static str,
    /// What it reached and how many times that ours reaches; or why there is no figure.
    pub reached: Result<(LoadResult, f64), String>,
}

/// What a run found.
#[derive(Clone, Debug)]
pub struct GatewayReport {
    /// How it was run.
    pub options: GatewayOptions,
    /// Rows with a counterpart.
    pub compared: Vec<ComparedRow>,
    /// Rows without one.
    pub facts: Vec<FactRow>,
    /// Why rows beside PostgreSQL are missing.
    pub without_postgresql: Option<&'static str>,
    /// Rows of peers.
    pub peers: Vec<PeerRow>,
}

impl ComparedRow {
    pub(super) fn new(
        letter: char,
        work: RequestKind,
        compared: Comparison,
        target: RowTarget,
    ) -> Self {
        let Comparison { ours, other, ratio } = compared;
        let RowTarget { beside, ratio_min } = target;
        let (what, answer_bytes) = (work.description(), None);
        Self { letter, what, answer_bytes, ours, beside, other, ratio, ratio_min, work }
    }

    pub(super) fn with_answer_bytes(self, bytes: usize) -> Self {
        Self { answer_bytes: Some(bytes), ..self }
    }
}

impl FactRow {
    pub(super) fn limit(what: &'static str, unit: &str, value: f64, value_max: f64) -> Self {
        Self { what, value, text: format!("{value:.0} {unit}"), value_max: Some(value_max) }
    }

    pub(super) fn shown(what: &'static str, mebibytes: f64, more: &str) -> Self {
        let text = format!("{mebibytes:.0} MiB ({more})");
        Self { what, value: mebibytes, text, value_max: None }
    }
}

impl GatewayReport {
    pub(super) fn of(options: &GatewayOptions) -> Self {
        Self {
            options: options.clone(),
            compared: Vec::new(),
            facts: Vec::new(),
            without_postgresql: None,
            peers: Vec::new(),
        }
    }

    /// The tables alone.
    #[must_use]
    pub fn tables(&self) -> String {
        let mut text = String::new();
        self.write_compared(&mut text);
        self.write_facts(&mut text);
        self.write_peers(&mut text);
        text
    }

    fn write_compared(&self, text: &mut String) {
        *text += "|  | measurement | answer | planisphere serve | beside it | ratio | target | met |\n\
                  |---|---|---|---|---|---|---|---|\n";
        for row in &self.compared {
            let bytes = row.answer_bytes.map_or(String::new(), |bytes| format!("{bytes} B"));
            let target =
                row.ratio_min.map_or(String::new(), |min| format!("at least {:.0} %", min * 100.0));
            let met = row.ratio_min.map_or("", |min| yes(row.ratio >= min));
            let (ours, other) = (reached(&row.ours), reached(&row.other));
            // A string takes every write; so below.
            let _ = writeln!(
                text,
                "| {} | {} | {bytes} | {ours} | {}: {other} | {:.0} % | {target} | {met} |",
                row.letter,
                row.what,
                row.beside,
                row.ratio * 100.0,
            );
        }
        if let Some(why) = self.without_postgresql {
            let _ = writeln!(text, "\nNo rows beside PostgreSQL: {why}.");
        }
    }

    fn write_facts(&self, text: &mut String) {
        *text += "\n| fact | planisphere serve | target | met |\n|---|---|---|---|\n";
        for FactRow { what, value, text: shown, value_max } in &self.facts {
            let target = value_max.map_or(String::new(), |max| format!("less than {max:.0}"));
            let met = value_max.map_or("", |max| yes(*value < max));
            let _ = writeln!(text, "| {what} | {shown} | {target} | {met} |");
        }
    }

    fn write_peers(&self, text: &mut String) {
        *text += "\n| peer | measurement | peer reaches | planisphere serve to peer |\n|---|---|---|---|\n";
        for PeerRow { peer, what, reached: result } in &self.peers {
            let (shown, factor) = match result {
                Ok((peer, factor)) => (reached(peer), format!("{factor:.1} times")),
                Err(why) => (why.clone(), String::new()),
            };
            let _ = writeln!(text, "| {peer} | {what} | {shown} | {factor} |");
        }
    }

    /// The page around the tables.
    #[must_use]
    pub fn page(&self) -> String {
        let (cores, memory) = machine().unwrap_or_default();
        let load = load_average().unwrap_or_default();
        let GatewayOptions { items, rounds, measured_ms, connections, .. } = self.options;
        format!(
            "# Benchmarks of the gateway\n\n\
             Written by `cargo xtask bench gateway --items {items} --rounds {rounds} --measured-ms {measured_ms} \
             --out benchmarks/GATEWAY.md`\n\
             on a shared machine with {cores} cores and {memory:.0} GiB of memory, load average {load} (15 minutes, \
             at the end; ours is about 1).\n\
             {items} items of 1 KB in logical partitions of 100; HTTP/1.1, {connections} connections kept alive, one \
             request at a time on each.\n\
             Medians of {rounds} rounds of {measured_ms} ms, both sides alternating. Figures are answers per second, \
             the times half and\n\
             99 of 100 answers stay below as the client sees them, and the server's processor time per answer.\n\n\
             {tables}\n{MEANING}",
            memory = memory as f64 / f64::from(1 << 30),
            tables = self.tables(),
        )
    }
}

const MEANING: &str = "\
## How it is measured

- `planisphere serve`, what stands beside it and the load generator are processes of their own and share the same
  cores, none of them bound to one. The load generator is one thread with every request made and signed beforehand; it
  checks the status of every answer, and costs the same on both sides, so it brings every ratio nearer to one. Its own
  processor time is part of neither figure.
- Every request is signed by the account key with the server's date, and our server checks every signature.
- The **bare server** is hyper on the same runtime with as many threads. It reads each request to its end and answers
  one response that was recorded from our server before: the same status, headers and body.

## What the rows mean

- **a** `GET` of an item by id and partition key, 2,048 different items in random order.
- **b** `POST` of new items to a server on an empty folder that syncs every commit, against `Engine::create_item` with
  as many callers in a process of its own, also on an empty folder. Items and requests are made beforehand on both
  sides.
- **c** `SELECT * FROM c ORDER BY c.price` on one logical partition of 100, page of 20; 2,048 requests over all of them.
- **d** The first 100 changes of the container, latest version.
- **e** `SELECT * FROM c WHERE c.stock = @stock AND c.created >= @from` on the whole container, which is one physical
  partition: of 10,000 items about 20 have the stock, half of all are in the range, and about 10 are returned.
- **f** to **k** have PostgreSQL beside them, on the same items in a table with the columns `customer`, `id` and `item`
  (jsonb), a primary key of the first two, a B-tree for the price within a customer, one for the stock, and a GIN index
  (`jsonb_path_ops`) on the item. `synchronous_commit` and `fsync` are on, `shared_buffers` is 256 MB. The load
  generator is one thread with as many connections, prepared statements, and one statement at a time on each; it reads
  every row. It is the same program as for our server, with a client library in place of prepared bytes.
- **h** asks PostgreSQL by `item @> ...`, which uses the GIN index, and **i** by the B-tree of the stock.
- **j** creates items in an empty table and an empty folder; **k** replaces items whose price changes each time.
- The **start** is measured from the start of the process on an empty folder until a request is answered with 200, tried
  every 0.2 ms. Idle memory is resident memory half a second later. Medians of 7 starts.
- **Memory under load** is resident memory of the server of rows a, c and d after 64 connections have read items and
  then queried. It includes the block cache and the memtables that hold the data set.
- **Peers** hold the same items, which they keep in memory; our server's figure is that of the table above, where
  creates are durable.
";

/// Answers per second, times and processor time.
fn reached(reached: &LoadResult) -> String {
    let LoadResult { per_second, p50_us, p99_us, cpu_us, .. } = reached;
    format!("{per_second:.0}/s, p50 {p50_us:.0} us, p99 {p99_us:.0} us, {cpu_us:.1} us CPU")
}

fn yes(met: bool) -> &'static str {
    if met { "yes" } else { "**no**" }
}
