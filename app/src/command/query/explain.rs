//! Plan and counts in words.
//!
//! Owns the sentences a person reads beside the rows. Does not own the plan: the engine explains it.

use std::time::Duration;

use engine::query::{QueryExplanation, QueryMetrics};
use query::plan::access::OrderAccess;

use super::pages::Read;
use super::table::LeftOut;
use crate::output::thousands;

/// Physical partitions named one by one at most.
const PARTITIONS_NAMED_MAX: usize = 8;

/// How the query is run.
pub(super) fn plan(explained: &QueryExplanation) -> String {
    let mut lines = vec!["Plan".to_owned()];
    lines.push(format!("  partition keys        {}", explained.partition_filter));
    lines.push(format!("  physical partitions   {}", partitions(explained)));
    lines.extend(explained.words.iter().map(|words| format!("  {words}")));
    lines.extend(merge(explained));
    let report = &explained.index_metrics;
    for (what, indexes) in [
        ("indexes used", [&report.utilized_single, &report.utilized_composite]),
        ("indexes that would help", [&report.potential_single, &report.potential_composite]),
    ] {
        let specs = indexes.into_iter().flatten().map(|index| index.specs.join(", "));
        let specs: Vec<String> = specs.collect();
        if !specs.is_empty() {
            lines.push(format!("  {what}: {}", specs.join("; ")));
        }
    }
    lines.join("\n")
}

/// How the rows of several physical partitions become one answer.
fn merge(explained: &QueryExplanation) -> Option<String> {
    let how = match explained.access.order {
        OrderAccess::Path { .. } | OrderAccess::Composite { .. } => "merged by their order",
        OrderAccess::Unordered => "read one after the other",
        OrderAccess::Sorted => "computed together and sorted",
    };
    let count = explained.partitions.len();
    (count > 1).then(|| format!("  rows of {count} physical partitions are {how}"))
}

fn partitions(explained: &QueryExplanation) -> String {
    let numbers: Vec<String> = explained
        .partitions
        .iter()
        .take(PARTITIONS_NAMED_MAX)
        .map(|(number, _)| number.to_string())
        .collect();
    match explained.partitions.len() {
        0 => "none".to_owned(),
        count if count > PARTITIONS_NAMED_MAX => {
            format!("{} and {} more", numbers.join(", "), count - PARTITIONS_NAMED_MAX)
        }
        _ => numbers.join(", "),
    }
}

/// What was read, cost and taken.
pub(super) fn counts(read: &Read) -> String {
    let QueryMetrics {
        index_entries,
        index_hits,
        index_seeks,
        items_loaded,
        items_scanned,
        retrieved_bytes,
        output_items,
        output_bytes,
        full_scan,
        compile_time,
        index_time,
        load_time,
        total_time,
        ..
    } = &read.metrics;
    let number = |count: &u64| thousands(*count);
    let rest = total_time.saturating_sub(*compile_time + *index_time + *load_time);
    let scanned = if *full_scan { "  (no index serves all of it)" } else { "" };
    let lines = [
        ("rows", format!("{} in {}", number(output_items), counted(read.pages, "page"))),
        ("row bytes", number(output_bytes)),
        ("terms read", format!("{}, {} of use", number(index_entries), number(index_hits))),
        ("term ranges opened", number(index_seeks)),
        ("items loaded", number(items_loaded)),
        ("items scanned", number(items_scanned) + scanned),
        ("item bytes", number(retrieved_bytes)),
        ("request charge", format!("{} RU", read.charge)),
        ("time, text to plan", time(*compile_time)),
        ("time, reading terms", time(*index_time)),
        ("time, reading items", time(*load_time)),
        ("time, making rows", time(rest)),
        ("time, all", time(*total_time)),
    ];
    let lines = lines.map(|(what, value)| format!("  {what:<21} {value}"));
    let terms = read.explanation.iter().flat_map(|explanation| &explanation.terms);
    let terms: String = terms.map(|term| format!("\n  {term}")).collect();
    let charge = if terms.is_empty() { String::new() } else { format!("\nCharge{terms}") };
    format!("Counts\n{}{charge}", lines.join("\n"))
}

/// The line under a table.
pub(super) fn summary(read: &Read) -> String {
    let rows = counted(read.metrics.output_items, "row");
    format!("{rows}, {} RU, {}", read.charge, time(read.metrics.total_time))
}

fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(count))
}

/// What a table did not show, and how to see it.
pub(super) fn left_out(left_out: LeftOut) -> Option<String> {
    let mut notes = Vec::new();
    if left_out.cells_cut {
        notes.push("cells that end with … are longer".to_owned());
    }
    if left_out.columns > 0 {
        notes.push(format!("no room for {}", counted(left_out.columns as u64, "column")));
    }
    if left_out.system_properties {
        notes.push("system properties are left out".to_owned());
    }
    let notes = notes.join(", ");
    (!notes.is_empty()).then(|| format!("({notes}; --format jsonl shows everything)"))
}

/// A time with three digits that count.
fn time(time: Duration) -> String {
    let microseconds = time.as_secs_f64() * 1e6;
    match microseconds {
        us if us < 1_000.0 => format!("{us:.0} us"),
        us if us < 1_000_000.0 => format!("{:.2} ms", us / 1e3),
        us => format!("{:.2} s", us / 1e6),
    }
}
