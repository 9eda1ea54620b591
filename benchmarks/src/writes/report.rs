//! The figures as a table, and the page around it. Names no host and no path: the page is committed.

use std::fmt::Write;

use super::run::{WritePace, WritesOptions, WritesSide};
use crate::meter::{load_average, machine};

/// What a run found.
#[derive(Clone, Debug)]
pub struct WritesReport {
    /// What was run.
    pub options: WritesOptions,
    /// Our side.
    pub ours: WritesSide,
    /// PostgreSQL, or why there is none.
    pub peer: Result<WritesSide, String>,
}

/// One kind of write of a side.
type PaceOf = fn(&WritesSide) -> WritePace;

impl WritesReport {
    /// The table alone.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text =
            "| measurement | planisphere | PostgreSQL | ratio |\n|---|---|---|---|\n".to_owned();
        let rows: [(&str, PaceOf); 4] = [
            ("durable create", |side| side.create),
            ("durable replace of one property", |side| side.replace),
            ("bulk load", |side| side.bulk),
            ("durable create after the load", |side| side.create_after),
        ];
        for (what, pace) in rows {
            let per_second = |side: &WritesSide| pace(side).per_second;
            self.row(&mut text, what, per_second, |value| format!("{value:.0}/s"));
            let cpu = |side: &WritesSide| pace(side).cpu_us;
            self.row(&mut text, &format!("{what}, CPU"), cpu, |value| format!("{value:.0} us"));
        }
        #[expect(clippy::cast_precision_loss, reason = "bytes of an item, for a table")]
        let per_item = |bytes: u64, side: &WritesSide| bytes as f64 / (side.items as f64).max(1.0);
        let bytes = |value: f64| format!("{value:.0} bytes");
        self.row(&mut text, "disk per item", |side| per_item(side.data_bytes, side), bytes);
        self.row(&mut text, "journal per item", |side| per_item(side.journal_bytes, side), bytes);
        text
    }

    fn row(
        &self,
        text: &mut String,
        what: &str,
        value: impl Fn(&WritesSide) -> f64,
        shown: impl Fn(f64) -> String,
    ) {
        let ours = value(&self.ours);
        let (peer, ratio) = match &self.peer {
            Ok(side) => (shown(value(side)), format!("{:.2}x", ours / value(side))),
            Err(why) => (format!("**{why}**"), String::new()),
        };
        // A string takes every write.
        let _ = writeln!(text, "| {what} | {} | {peer} | {ratio} |", shown(ours));
    }

    /// The page around the table.
    #[must_use]
    pub fn page(&self) -> String {
        let (cores, memory) = machine().unwrap_or_default();
        let load = load_average().unwrap_or_default();
        let WritesOptions { items, callers, measured_ms, .. } = self.options;
        format!(
            "# Writes\n\n\
             Written by `cargo xtask bench writes --items {items} --callers {callers} --measured-ms {measured_ms} \
             --out benchmarks/WRITES.md`\n\
             on a shared machine with {cores} cores and {memory:.0} GiB of memory, load average {load} (15 minutes, \
             at the end). One run of each side;\nratios are planisphere to PostgreSQL.\n\n\
             {table}\n{MEANING}",
            memory = memory as f64 / f64::from(1 << 30),
            table = self.table(),
        )
    }
}

const MEANING: &str = "\
## What the rows mean

- Items of 1 KB with 18 properties. Ours indexes every path, in one physical partition with 100 logical ones; PostgreSQL
  has a GIN index on the document, three B-trees and the primary key.
- **Durable** writes sync every commit on both sides (group commit of ours; `synchronous_commit=on`). **Bulk load** syncs
  later on both sides: our callers create one item each, PostgreSQL inserts 100 in a transaction.
- **CPU** is that of all processes of a side, callers included. Ours is called in the process and not over HTTP;
  PostgreSQL over a socket, by its own protocol.
- **Disk** is measured when nothing is left to flush or compact, after `VACUUM` there and after closing here.
";
