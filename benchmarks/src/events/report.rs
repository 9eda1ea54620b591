//! The figures of a run as tables, and the page that explains them.
//!
//! Owns the words. Names no host and no path: the page is committed.

use std::fmt::Write;

use super::load::{CONTENDED, CONTENDERS, SHAPES, TAG_EVENTS};
use super::run::EventsSide;
use crate::meter::{load_average, machine};

/// What a run found.
#[derive(Clone, Debug)]
pub struct EventsReport {
    /// Sizes of the store at which a tag is read.
    pub sizes: Vec<usize>,
    /// One for each store.
    pub sides: Vec<EventsSide>,
    /// What was not measured, and why.
    pub missing: Vec<String>,
    /// What else the page says about the run.
    pub note: String,
    /// How long each append was measured.
    pub measured_ms: u64,
}

impl EventsReport {
    /// A side by its name.
    #[must_use]
    pub fn side(&self, name: &str) -> Option<&EventsSide> {
        self.sides.iter().find(|side| side.name == name)
    }

    /// The tables alone.
    #[must_use]
    pub fn tables(&self) -> String {
        let mut text = String::new();
        let names: Vec<&str> = self.sides.iter().map(|side| side.name.as_str()).collect();
        let line = "---:|".repeat(self.sides.len());
        // A string takes every write; so below.
        let _ = writeln!(text, "| measured | {} |\n|---|{line}", names.join(" | "));
        for (at, (writers, events, tags)) in SHAPES.iter().enumerate() {
            let what = format!("events/s: {writers} writers, {events} events, {tags} tags");
            self.row(&mut text, &what, |side| side.appends.get(at).copied());
        }
        for (at, tags) in CONTENDED.iter().enumerate() {
            let what = format!("conditional appends/s: {CONTENDERS} writers, {tags} tags");
            self.row(&mut text, &what, |side| side.conditional.get(at).copied());
        }
        for (at, size) in self.sizes.iter().enumerate() {
            let what = format!("ms: read {TAG_EVENTS} events of a tag among {size}");
            self.row(&mut text, &what, |side| side.tag_reads_ms.get(at).copied());
        }
        self.row(&mut text, "events/s: read all", |side| side.read_all);
        self.row(&mut text, "events/s: project all", |side| side.projected);
        self.row(&mut text, "ms: append until a live reader has it", |side| side.live_ms);
        for why in &self.missing {
            let _ = writeln!(text, "\nNot measured: {why}");
        }
        self.ratios(&mut text);
        text
    }

    fn row(&self, text: &mut String, what: &str, value: impl Fn(&EventsSide) -> Option<f64>) {
        let cell = |side: &EventsSide| match value(side) {
            None => "-".to_owned(),
            Some(value) if value >= 100.0 => format!("{value:.0}"),
            Some(value) => format!("{value:.2}"),
        };
        let cells: Vec<String> = self.sides.iter().map(cell).collect();
        let _ = writeln!(text, "| {what} | {} |", cells.join(" | "));
    }

    /// The targets: at least 70 % of a plain table, at least as fast as UmaDB, reads flat in the size.
    fn ratios(&self, text: &mut String) {
        let _ = writeln!(text, "\n| target | least | median | greatest |\n|---|---:|---:|---:|");
        let pairs = [
            ("ours, PostgreSQL", "plain table", "appends, at least 0.70"),
            ("ours, embedded", "umadb", "appends, at least 1.00"),
        ];
        for (ours, peer, target) in pairs {
            let (Some(one), Some(other)) = (self.side(ours), self.side(peer)) else { continue };
            let ratios = one.appends.iter().zip(&other.appends).map(|(one, other)| one / other);
            let mut ratios: Vec<f64> = ratios.collect();
            ratios.sort_by(f64::total_cmp);
            let at = |index: usize| ratios.get(index).copied().unwrap_or_default();
            let (middle, last) = (ratios.len() / 2, ratios.len().saturating_sub(1));
            let _ = writeln!(
                text,
                "| {ours} to {peer}: {target} | {:.2} | {:.2} | {:.2} |",
                at(0),
                at(middle),
                at(last)
            );
        }
        for side in &self.sides {
            let (Some(first), Some(last)) = (side.tag_reads_ms.first(), side.tag_reads_ms.last())
            else {
                continue;
            };
            let ratio = last / first;
            let name = &side.name;
            let _ =
                writeln!(text, "| {name}: a tag in the largest to the smallest | | {ratio:.2} | |");
        }
    }

    /// The page around the tables.
    #[must_use]
    pub fn page(&self) -> String {
        let (cores, memory) = machine().unwrap_or_default();
        let load = load_average().unwrap_or_default();
        let sizes: Vec<String> = self.sizes.iter().map(ToString::to_string).collect();
        format!(
            "# Event stores under load\n\n\
             Written by `cargo xtask bench events --sizes {sizes} --measured-ms {ms} --out benchmarks/EVENTS.md` on a \
             shared machine\nwith {cores} cores and {memory:.0} GiB of memory, load average {load} (15 minutes, at the \
             end). One run; each cell of appends is\nmeasured for {ms} ms. {note}\n\n{tables}\n{MEANING}",
            sizes = sizes.join(","),
            ms = self.measured_ms,
            memory = memory as f64 / f64::from(1 << 30),
            note = self.note,
            tables = self.tables(),
        )
    }
}

const MEANING: &str = "\
Every append of every side is durable when it returns. `ours, embedded` is the account provider on a folder,
inside the process of the load; `ours, PostgreSQL` and `plain table` are on the same scratch server (fsync on)
with 60 connections; `umadb` is version 0.7.8 as its own process, driven by its own client
(`benchmarks/peers/umadb`). The plain table has no tenants, no rows of tags and no conditions of its own: tags
are an array with a GIN index, and a conditional append takes an advisory lock. On an account an append with
tags is several writes (record 0023), each of them durable: that is the price of having no transaction over
partitions.
";
