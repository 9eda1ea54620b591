//! Prints the report: findings first, then tables. Reads the same JSON that `--json` prints.

use model::Json;

use super::table::{Align, print_table};
use crate::error::CommandError;
use crate::output::{line, thousands};

use Align::{Left, Right};

pub(super) fn print(report: &Json) -> Result<(), CommandError> {
    let hours = number(report, "hours");
    line(format_args!("usage over {hours} hours"))?;
    let currency = report.get("prices").map_or("", |prices| text(prices, "currency"));
    for container in list(report, "containers") {
        print_container(container, currency)?;
    }
    if list(report, "containers").is_empty() {
        line("there are no containers")?;
    }
    Ok(())
}

fn print_container(container: &Json, currency: &str) -> Result<(), CommandError> {
    line("")?;
    let key: Vec<&str> = list(container, "partitionKey").iter().filter_map(Json::as_str).collect();
    let enforced = container.get("enforced").and_then(Json::as_bool) == Some(true);
    line(format_args!(
        "container {}/{}, partition key {}, throughput {}",
        text(container, "database"),
        text(container, "container"),
        key.join(", "),
        if enforced { "enforced" } else { "not enforced" }
    ))?;
    if let Some(totals) = container.get("totals") {
        line(format_args!(
            "  {} requests, {} throttled, {} RU; {} items of {} bytes, {} {currency} of storage per month",
            whole(totals, "requests"),
            whole(totals, "throttled"),
            amount(totals, "requestUnits"),
            whole(totals, "items"),
            whole(totals, "bytes"),
            amount(totals, "storagePricePerMonth"),
        ))?;
    }
    for finding in list(container, "findings").iter().filter_map(Json::as_str) {
        line(format_args!("  ! {finding}"))?;
    }
    print_operations(container)?;
    print_partitions(container)?;
    print_queries(container)?;
    print_unused(container)?;
    print_throughput(container, currency)?;
    container.get("candidate").map_or(Ok(()), print_candidate)
}

fn print_operations(container: &Json) -> Result<(), CommandError> {
    let columns = [
        ("operation", Left),
        ("requests", Right),
        ("failed", Right),
        ("throttled", Right),
        ("RU", Right),
        ("share", Right),
        ("RU each", Right),
    ];
    let rows = list(container, "operations").iter().map(|row| {
        vec![
            text(row, "operation").to_owned(),
            whole(row, "requests"),
            whole(row, "failed"),
            whole(row, "throttled"),
            amount(row, "requestUnits"),
            percent(row, "share"),
            amount(row, "requestUnitsPerRequest"),
        ]
    });
    print_table("  by operation", &columns, &rows.collect::<Vec<_>>())
}

fn print_partitions(container: &Json) -> Result<(), CommandError> {
    let columns = [
        ("partition key", Left),
        ("requests", Right),
        ("throttled", Right),
        ("RU", Right),
        ("share", Right),
        ("excess at most", Right),
    ];
    let rows = list(container, "logicalPartitions").iter().map(|row| {
        vec![
            row.get("partitionKey").map(ToString::to_string).unwrap_or_default(),
            whole(row, "requests"),
            whole(row, "throttled"),
            amount(row, "requestUnits"),
            percent(row, "share"),
            amount(row, "excessMax"),
        ]
    });
    print_table("  busiest logical partitions", &columns, &rows.collect::<Vec<_>>())?;
    let columns = [
        ("partition", Right),
        ("RU", Right),
        ("share", Right),
        ("busiest second", Right),
        ("throttled", Right),
        ("items", Right),
        ("bytes", Right),
    ];
    let rows = list(container, "physicalPartitions").iter().map(|row| {
        vec![
            whole(row, "number"),
            amount(row, "requestUnits"),
            percent(row, "share"),
            amount(row, "peakPerSecond"),
            whole(row, "throttled"),
            whole(row, "items"),
            whole(row, "bytes"),
        ]
    });
    print_table("  physical partitions", &columns, &rows.collect::<Vec<_>>())
}

fn print_queries(container: &Json) -> Result<(), CommandError> {
    let columns = [
        ("requests", Right),
        ("RU", Right),
        ("share", Right),
        ("RU each", Right),
        ("cross-partition", Right),
        ("scans", Right),
        ("query", Left),
    ];
    let queries = list(container, "queries");
    let rows = queries.iter().map(|row| {
        vec![
            whole(row, "requests"),
            amount(row, "requestUnits"),
            percent(row, "share"),
            amount(row, "requestUnitsPerRequest"),
            percent(row, "acrossPartitionsShare"),
            percent(row, "scanShare"),
            text(row, "shape").to_owned(),
        ]
    });
    print_table("  queries", &columns, &rows.collect::<Vec<_>>())?;
    for query in queries {
        if let Some(index) = query.get("indexThatWouldServe") {
            line(format_args!("  an index for {}", text(query, "shape")))?;
            line(format_args!("    {index}"))?;
        }
    }
    Ok(())
}

fn print_unused(container: &Json) -> Result<(), CommandError> {
    let columns = [("path", Left), ("RU per write", Right), ("RU so far, at most", Right)];
    let rows = list(container, "unusedIndexes").iter().map(|row| {
        let path = text(row, "path").to_owned();
        vec![path, amount(row, "requestUnitsPerWrite"), amount(row, "requestUnitsAtMost")]
    });
    print_table("  indexed paths that no query has used", &columns, &rows.collect::<Vec<_>>())
}

fn print_throughput(container: &Json, currency: &str) -> Result<(), CommandError> {
    let Some(throughput) = container.get("throughput") else { return Ok(()) };
    let price = format!("{currency} per month");
    let columns =
        [("throughput", Left), ("RU/s", Right), ("billed RU/s", Right), (price.as_str(), Right)];
    let part = |name: &str| throughput.get(name).cloned().unwrap_or(Json::Null);
    let (given, manual, autoscale) = (part("given"), part("manual"), part("autoscale"));
    let row = |name: String, json: &Json, per_second: &str| {
        let billed = match json.get("billedPerSecondOnAverage") {
            Some(_) => amount(json, "billedPerSecondOnAverage"),
            None => whole(json, per_second),
        };
        vec![name, whole(json, per_second), billed, amount(json, "pricePerMonth")]
    };
    let given_name =
        format!("provisioned for the {}, {}", text(&given, "owner"), text(&given, "kind"));
    let rows = [
        row(given_name, &given, "requestUnitsPerSecond"),
        row("needed, manual".to_owned(), &manual, "requestUnitsPerSecond"),
        row("needed, autoscale".to_owned(), &autoscale, "maximum"),
    ];
    print_table("  throughput", &columns, &rows)
}

fn print_candidate(candidate: &Json) -> Result<(), CommandError> {
    line("")?;
    let key: Vec<&str> = list(candidate, "partitionKey").iter().filter_map(Json::as_str).collect();
    line(format_args!("  with the partition key {}", key.join(", ")))?;
    if let Some(note) = candidate.get("note").and_then(Json::as_str) {
        return line(format_args!("  {note}"));
    }
    line(format_args!(
        "  from a sample of {} items and {} queries; {} distinct keys, {} of the items have no value for it",
        whole(candidate, "sampledItems"),
        whole(candidate, "sampledQueries"),
        whole(candidate, "keysSeen"),
        percent(candidate, "itemsWithoutValueShare"),
    ))?;
    line(format_args!(
        "  {} of these requests read by id and would need to know the new key",
        percent(candidate, "pointReadsThatNeedTheNewKeyShare")
    ))?;
    let columns = [
        ("cross-partition", Left),
        ("of queries", Right),
        ("of their RU", Right),
        ("of all requests", Right),
    ];
    let rows = ["now", "then"].map(|name| {
        let values = candidate.get("crossPartition").and_then(|shares| shares.get(name));
        let values = values.cloned().unwrap_or(Json::Null);
        let shares = ["shareOfQueries", "shareOfQueryRequestUnits", "shareOfRequests"];
        std::iter::once(name.to_owned())
            .chain(shares.map(|share| percent(&values, share)))
            .collect()
    });
    print_table("  queries", &columns, &rows)?;
    for (heading, name) in [("  largest keys", "largest"), ("  busiest keys", "busiest")] {
        let columns = [("key", Left), ("share", Right)];
        let rows = list(candidate, name).iter();
        let rows =
            rows.map(|row| vec![text(row, "partitionKey").to_owned(), percent(row, "share")]);
        print_table(heading, &columns, &rows.collect::<Vec<_>>())?;
    }
    Ok(())
}

fn list<'a>(json: &'a Json, name: &str) -> &'a [Json] {
    json.get(name).and_then(Json::as_array).unwrap_or_default()
}

fn text<'a>(json: &'a Json, name: &str) -> &'a str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn number(json: &Json, name: &str) -> f64 {
    match json.get(name) {
        Some(Json::Number(number)) => number.as_f64(),
        _ => 0.0,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts are not negative"
)]
fn whole(json: &Json, name: &str) -> String {
    thousands(number(json, name).round() as u64)
}

fn amount(json: &Json, name: &str) -> String {
    format!("{:.2}", number(json, name))
}

fn percent(json: &Json, name: &str) -> String {
    format!("{:.0} %", number(json, name) * 100.0)
}
