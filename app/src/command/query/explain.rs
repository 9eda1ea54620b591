//! Prints the plan and the metrics of a query.

use std::time::Duration;

use engine::query::{QueryExplanation, QueryMetrics};
use query::plan::access::OrderAccess;

use super::pages::QueryTotals;
use super::table::OmittedParts;
use crate::output::thousands;

/// Number of physical partitions listed.
const PARTITIONS_LISTED_MAX: usize = 8;

/// The plan of the query.
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

/// How the rows of several physical partitions are combined.
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
        .take(PARTITIONS_LISTED_MAX)
        .map(|(number, _)| number.to_string())
        .collect();
    match explained.partitions.len() {
        0 => "none".to_owned(),
        count if count > PARTITIONS_LISTED_MAX => {
            format!("{} and {} more", numbers.join(", "), count - PARTITIONS_LISTED_MAX)
        }
        _ => numbers.join(", "),
    }
}

/// What was read, what it cost and how long it took.
pub(super) fn counts(read: &QueryTotals) -> String {
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
    // What the other clocks do not cover. Saturating, because each of them is read on its own.
    let rest = total_time.saturating_sub(*compile_time + *index_time + *load_time);
    let scanned = if *full_scan { "  (no index covers the whole query)" } else { "" };
    let lines = [
        ("rows", format!("{} in {}", number(output_items), counted(read.pages, "page"))),
        ("row bytes", number(output_bytes)),
        ("terms read", format!("{}, {} useful", number(index_entries), number(index_hits))),
        ("term ranges opened", number(index_seeks)),
        ("items loaded", number(items_loaded)),
        ("items scanned", number(items_scanned) + scanned),
        ("item bytes", number(retrieved_bytes)),
        ("request charge", format!("{} RU", read.charge)),
        ("time, parse and plan", time(*compile_time)),
        ("time, reading terms", time(*index_time)),
        ("time, reading items", time(*load_time)),
        ("time, computing rows", time(rest)),
        ("time, total", time(*total_time)),
    ];
    let lines = lines.map(|(what, value)| format!("  {what:<21} {value}"));
    let terms = read.explanation.iter().flat_map(|explanation| &explanation.terms);
    let terms: String = terms.map(|term| format!("\n  {term}")).collect();
    let charge = if terms.is_empty() { String::new() } else { format!("\nCharge{terms}") };
    format!("Counts\n{}{charge}", lines.join("\n"))
}

/// The line under a table.
pub(super) fn summary(read: &QueryTotals) -> String {
    let rows = counted(read.metrics.output_items, "row");
    format!("{rows}, {} RU, {}", read.charge, time(read.metrics.total_time))
}

fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(count))
}

/// What a table omitted, and how to see it.
pub(super) fn omitted(omitted: OmittedParts) -> Option<String> {
    let mut notes = Vec::new();
    if omitted.cells_cut {
        notes.push("cells that end with … are truncated".to_owned());
    }
    if omitted.columns > 0 {
        notes.push(format!("no room for {}", counted(omitted.columns as u64, "column")));
    }
    if omitted.system_properties {
        notes.push("system properties are omitted".to_owned());
    }
    let notes = notes.join(", ");
    (!notes.is_empty()).then(|| format!("({notes}; --format jsonl shows everything)"))
}

/// A duration with three significant digits.
fn time(time: Duration) -> String {
    let microseconds = time.as_secs_f64() * 1e6;
    match microseconds {
        us if us < 1_000.0 => format!("{us:.0} us"),
        us if us < 1_000_000.0 => format!("{:.2} ms", us / 1e3),
        us => format!("{:.2} s", us / 1e6),
    }
}
