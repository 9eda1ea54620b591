//! The rows of a run as tables, and the page that explains them.
//!
//! Owns the words. Names no host and no path: the page is committed.

use std::fmt::Write;
use std::time::Duration;

use super::PeerFigure;
use crate::meter::{load_average, machine};

/// What a full scan must reach.
const SCAN_MIN: f64 = 400.0;

/// A query whose touched entries are counted, at one size.
#[derive(Clone, Debug)]
pub struct CountedRow {
    /// Number in the table.
    pub name: &'static str,
    /// What was asked.
    pub what: &'static str,
    /// Items of the data set.
    pub items: u64,
    /// Index terms that were read, in the run that read most.
    pub terms_read: u64,
    /// Items that were read in that run.
    pub items_loaded: u64,
    /// Median time on the same 100 logical partitions.
    pub hot_us: f64,
    /// Median time on any logical partition.
    pub anywhere_us: f64,
    /// The first time beside that of the smallest data set.
    pub growth: f64,
    /// The target.
    pub target: String,
    /// Whether the counts meet it.
    pub counts_met: bool,
    /// Whether the time meets it.
    pub time_met: bool,
}

/// A full scan of one size.
#[derive(Clone, Debug)]
pub struct ScanRow {
    /// Items of the data set.
    pub items: u64,
    /// By processor time.
    pub engine: PeerFigure,
    /// By the wall clock.
    pub engine_wall: PeerFigure,
    /// The same over text in SQLite.
    pub sqlite: PeerFigure,
    /// The same over jsonb in PostgreSQL.
    pub postgresql: PeerFigure,
}

/// A way from text to plan.
#[derive(Clone, Debug)]
pub struct PreparingRow {
    /// Which stages.
    pub what: &'static str,
    /// Median.
    pub microseconds: f64,
    /// What is wanted at most.
    pub microseconds_max: f64,
}

/// What a run found.
#[derive(Clone, Debug, Default)]
pub struct QueryReport {
    /// Sizes of the data set.
    pub items: Vec<u64>,
    /// Rounds of each measurement.
    pub rounds: usize,
    /// Rows 1 to 4.
    pub counted: Vec<CountedRow>,
    /// Row 5.
    pub scans: Vec<ScanRow>,
    /// Row 6.
    pub preparing: Vec<PreparingRow>,
}

impl ScanRow {
    /// Whether the engine is fast enough.
    #[must_use]
    pub fn met(&self) -> bool {
        matches!(self.engine, PeerFigure::MegabytesPerSecond(rate) if rate >= SCAN_MIN)
    }
}

impl PreparingRow {
    pub(super) fn new(what: &'static str, time: Duration, microseconds_max: f64) -> Self {
        Self { what, microseconds: time.as_secs_f64() * 1e6, microseconds_max }
    }
}

impl QueryReport {
    /// The tables alone.
    #[must_use]
    pub fn tables(&self) -> String {
        let mut text = String::new();
        self.write_tables(&mut text);
        text
    }

    fn write_tables(&self, text: &mut String) {
        *text += "|  | query | items | terms read | items loaded | time, same 100 partitions | to the smallest \
                  | time, any partition | target | met |\n|---|---|---|---|---|---|---|---|---|---|\n";
        for row in &self.counted {
            let met = yes(row.counts_met && row.time_met);
            let CountedRow { name, what, items, terms_read, items_loaded, target, .. } = row;
            let met = if target.is_empty() { "" } else { met };
            // A string takes every write; so below.
            let _ = writeln!(
                text,
                "| {name} | {what} | {items} | {terms_read} | {items_loaded} | {:.0} us | {:.2}x | {:.0} us \
                 | {target} | {met} |",
                row.hot_us, row.growth, row.anywhere_us,
            );
        }
        *text += "\n|  | full scan, MB/s of stored JSON | items | engine, per core | engine, wall clock | SQLite JSON, \
                  per core | PostgreSQL jsonb, per core | target | met |\n|---|---|---|---|---|---|---|---|---|\n";
        for row in &self.scans {
            let ScanRow { items, engine, engine_wall, sqlite, postgresql } = row;
            let _ = writeln!(
                text,
                "| 5 | filter on a path without index | {items} | {engine} | {engine_wall} | {sqlite} | {postgresql} \
                 | at least {SCAN_MIN:.0} MB/s per core | {} |",
                yes(row.met()),
            );
        }
        *text += "\n|  | from text to plan | median | target | met |\n|---|---|---|---|---|\n";
        for row in &self.preparing {
            let PreparingRow { what, microseconds, microseconds_max } = row;
            let _ = writeln!(
                text,
                "| 6 | {what} | {microseconds:.1} us | at most {microseconds_max:.0} us | {} |",
                yes(microseconds <= microseconds_max),
            );
        }
    }

    /// The page around the tables.
    #[must_use]
    pub fn page(&self) -> String {
        let (cores, memory) = machine().unwrap_or_default();
        let load = load_average().unwrap_or_default();
        let items: Vec<String> = self.items.iter().map(u64::to_string).collect();
        format!(
            "# Benchmarks of queries\n\n\
             Written by `cargo xtask bench queries --items {items} --rounds {rounds} --out benchmarks/QUERIES.md`\n\
             on a shared machine with {cores} cores and {memory:.0} GiB of memory, load average {load} (15 minutes, \
             at the end; ours is about 1).\n\
             The store has its default settings and has finished its compactions. Medians of {rounds} rounds, all \
             sizes in turn.\n\n\
             {tables}\n{MEANING}",
            items = items.join(","),
            rounds = self.rounds,
            memory = memory as f64 / f64::from(1 << 30),
            tables = self.tables(),
        )
    }
}

const MEANING: &str = "\
## What the rows mean

Items have 1 KB and 18 properties; all paths are indexed but one, and `status` and `created` have a composite index. A
logical partition has 100 items at every size: 10,000 items are 100 logical partitions, 1,000,000 items are 10,000. So
the answers of rows 1 to 4 are the same at every size, and only the work to find them could grow.

- **Terms read** are entries of the index and **items loaded** are items, by whatever way, as the engine's
  metrics count them; the run that touched most is shown, without the first round, which fills the caches. A
  page of 20 in order reads one term for each row. Forwards, items without the property come first: the first
  query after a write reads the shapes of the partition besides, one entry for each set of paths that its items
  have, to know whether there are any. Backwards, items of one value still come in the order of their creation:
  if the last value of the page has more items than the page, the earlier ones are read too (**2b**).
- The first time asks the same 100 logical partitions at every size, so that all sizes find what they read in
  memory; its growth is what the size of the data costs. The second asks any of them: larger data sets then miss
  the block cache more often. Both are the time of `Engine::query_items` for one page, one caller.
- **1** names the first path of the composite index in ORDER BY, as the service wants it: `WHERE c.status =
  @status ORDER BY c.status DESC, c.created DESC`. **1b** leaves it out; the service then does not use the
  composite index.
- **3** reads the whole container; the 100 matches lie in 100 logical partitions.
- **5** reads every item: `SELECT VALUE c.id FROM c WHERE c.remark = @remark`, where one item in 1,000 matches.
  The bytes are those of the text that the engine stores, system properties included, and the peers hold the
  same text: SQLite in a column of text, asked with `json_extract`; PostgreSQL in a column of jsonb, asked with
  `->>`, one backend, no parallel workers, no compilation. Per core means by processor time: of our process for
  the engine and SQLite, of the backend for PostgreSQL. All have 256 MiB of memory for pages.
  A million items do not fit into that: every block is then read from its file and unpacked again, by our engine
  too, and that is what the scan loses beside the smaller sizes.
- **6** is parsing, binding, the partition keys that the query can meet, and the plan of access, for a new text
  each time. Inside the engine other work comes between two queries, so that less of the code is at hand; the
  partition keys are found while the store is opened for reading and are not part of that figure.
";

fn yes(met: bool) -> &'static str {
    if met { "yes" } else { "**no**" }
}
