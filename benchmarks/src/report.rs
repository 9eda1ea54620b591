//! The rows of a run as a table, and the page that explains them.
//!
//! Owns the words. Names no host and no path: the page is committed.

use std::fmt::Write;

use crate::meter::{load_average, machine};
use crate::rounds::Median;

/// One line of the table.
#[derive(Clone, Debug)]
pub struct ReportRow {
    /// Letter of the measurement.
    pub letter: char,
    /// What was measured.
    pub what: &'static str,
    /// The engine's figure.
    pub engine: String,
    /// The raw crate's figure, if there is one.
    pub raw: String,
    /// The number the target speaks of.
    pub value: f64,
    /// The number with its unit.
    pub value_text: String,
    /// The target.
    pub target: &'static str,
    /// Whether it is met.
    pub met: bool,
}

impl ReportRow {
    /// A row of two rates, judged by the engine's share of the raw throughput.
    pub(crate) fn share(
        letter: char,
        what: &'static str,
        (engine, raw): (Median, Median),
        target: &'static str,
        share_min: f64,
    ) -> Self {
        let value = engine.per_second / raw.per_second;
        Self {
            letter,
            what,
            engine: rate(engine),
            raw: rate(raw),
            value,
            value_text: format!("{:.0} %", value * 100.0),
            target,
            met: value >= share_min,
        }
    }

    /// A row without a raw counterpart, judged by a limit.
    pub(crate) fn limit(
        letter: char,
        what: &'static str,
        engine: String,
        value: f64,
        target: &'static str,
        value_max: f64,
    ) -> Self {
        Self {
            letter,
            what,
            value_text: engine.clone(),
            engine,
            raw: String::new(),
            value,
            target,
            met: value <= value_max,
        }
    }
}

/// What a run found.
#[derive(Clone, Debug)]
pub struct BenchReport {
    /// Items of the data set.
    pub items: u64,
    /// Rounds of each side.
    pub rounds: usize,
    /// In the order measured.
    pub rows: Vec<ReportRow>,
}

impl BenchReport {
    /// The table alone.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = String::from(
            "|  | measurement | engine | raw | engine to raw | target | met |\n\
             |---|---|---|---|---|---|---|\n",
        );
        for row in &self.rows {
            let met = if row.met { "yes" } else { "**no**" };
            let ReportRow { letter, what, engine, raw, value_text, target, .. } = row;
            let _ = writeln!(
                text,
                "| {letter} | {what} | {engine} | {raw} | {value_text} | {target} | {met} |"
            );
        }
        text
    }

    /// The page around the table.
    #[must_use]
    pub fn page(&self) -> String {
        let (cores, memory) = machine().unwrap_or_default();
        let load = load_average().unwrap_or_default();
        format!(
            "# Benchmarks of the embedded engine\n\n\
             Written by `cargo run --release -p benchmarks -- --items {items} --rounds {rounds} \
             --out benchmarks/RESULTS.md`\n\
             on a shared machine with {cores} cores and {memory:.0} GiB of memory, load average {load} (15 minutes, \
             at the end; ours is about 2).\n\
             {items} items of 1 KB with 20 properties, all indexed, in 2,000 logical partitions of one container; the \
             store has\n\
             its default settings. Medians of {rounds} rounds, engine and raw crate alternating. Processor time \
             counts all threads\n\
             of the process, flushes and compactions included; it wanders less than the wall clock on a machine that \
             others use.\n\n\
             {table}\n{MEANING}",
            items = self.items,
            rounds = self.rounds,
            memory = memory as f64 / f64::from(1 << 30),
            table = self.table(),
        )
    }
}

const MEANING: &str = "\
## What the rows mean

- **a** `Engine::read_item`, one caller, every item once in random order, against `get` of the raw crate with
  the storage keys of the same items in the same order. The raw side opens a byte-for-byte copy of the engine's
  store with as much cache for blocks as the engine has for blocks and values. Making the operations and the keys is
  left out on both sides. The ratio is time per read.
- **b** `Engine::create_item` on a new store that syncs every commit, 16 callers, a quarter of the items,
  against the raw crate writing the very same entries (items, terms, change log) in batches of 16 items with one
  data sync each. The engine's time includes making the items; reading the entries back is left out for the raw
  side.
- **c** The same for all items with 100 callers on a store that syncs once in a while, against batches of 100
  items without sync.
- **d** `Engine::read_change_feed` from the beginning to the end in pages of 1,000, against one raw scan of the
  change log.
- **e** Time to open the store and the engine and to read one item, in a new process: after a clean close, and
  after `kill -9` in the middle of durable writes by 16 callers.
- **f** Resident memory of the process that loaded all items with 100 callers, at its peak; and of a process that has
  just opened the store and read one item. What the settings allow: the cache of blocks, that of values, for each of
  the three spaces that fill up the memtable being filled and those being written, and 128 MiB that we grant for
  everything else. The peak after a quarter of the items shows how memory grows while cache and memtables fill; one
  size of data does not prove the bound.
- **g** `Container::read` of the crate `client` on an embedded account, one caller, every item once in random order,
  against `Engine::read_item` of the same items by a program that makes the operation and parses the item itself.
  Both read the same type with serde.

## Read with care

- On a busy machine the side with more threads gets more of the processors: the wall clock then flatters the
  engine in **b** and **c**. Compare processor time too.
- In **b** and **c** the store sorts the entries of a batch before it hands them to the tree; the raw side writes
  them in the order of the tape.
- In **d** both sides decompress blocks once the change log is larger than the block cache. While it fits, the
  raw scan gains more than the engine, which checks the item key and the record of every entry and makes a change of
  it. The content of a change is decoded on demand; neither side reads the text of the items.
";

/// Operations per second and processor time of each.
fn rate(median: Median) -> String {
    format!("{:.0}/s, {:.1} us CPU", median.per_second, median.cpu_us)
}
