//! Prints the partitions of a container.

use model::Json;

use crate::error::CommandError;
use crate::output::{line, thousands};

/// Prints the document of a server.
pub(super) fn print(container: &str, document: &Json) -> Result<(), CommandError> {
    let partitions = document.get("partitions").and_then(Json::as_array).unwrap_or_default();
    line(format_args!("container {container}, {} physical partitions", partitions.len()))?;
    for partition in partitions {
        let text = |name| partition.get(name).and_then(Json::as_str).unwrap_or_default();
        line(format_args!(
            "  physical partition {:<4} {:>12} items {:>14} bytes, lsn {}, from {:>2} to {}{}",
            number(partition, "number"),
            thousands(number(partition, "items")),
            thousands(number(partition, "bytes")),
            number(partition, "lsn"),
            if text("min").is_empty() { "00" } else { text("min") },
            text("max"),
            parents(partition),
        ))?;
    }
    let needed = number(document, "partitionsMin");
    if (partitions.len() as u64) < needed {
        line(format_args!(
            "the throughput needs {needed}; a server splits them in the background"
        ))?;
    }
    let Some(running) = document.get("restructuring").filter(|running| **running != Json::Null)
    else {
        return Ok(());
    };
    line(format_args!(
        "copying {} into {}: {} of {} items",
        numbers(running, "partitions"),
        number(running, "into"),
        thousands(number(running, "itemsCopied")),
        thousands(number(running, "itemsTotal"))
    ))
}

fn parents(partition: &Json) -> String {
    let parents = numbers(partition, "parents");
    if parents.is_empty() { parents } else { format!(", after {parents}") }
}

fn numbers(json: &Json, name: &str) -> String {
    let numbers = json.get(name).and_then(Json::as_array).unwrap_or_default();
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn number(json: &Json, name: &str) -> u64 {
    json.get(name).and_then(Json::as_i64).and_then(|value| value.try_into().ok()).unwrap_or(0)
}
