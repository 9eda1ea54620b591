//! The throughput that a container would have needed, manual and autoscale, and its price.
//!
//! Throughput is divided evenly over physical partitions, so the busiest second of the busiest partition decides.
//! Autoscale is billed per hour at the hour's peak, but at least a tenth of the maximum.

use std::collections::BTreeMap;

use model::limits::{
    AUTOSCALE_THROUGHPUT_MIN, MANUAL_THROUGHPUT_MIN, THROUGHPUT_PER_PARTITION_MAX,
};
use model::{Json, Object};

use super::super::document::decimal;
use super::member::{list, number, text};
use super::prices::PriceTable;

/// Number of recent hours in the report.
const HOURS_REPORTED: usize = 24;

/// The throughput that a container would have needed.
pub(super) struct NeededThroughput {
    /// Request units of the busiest second of the busiest partition.
    pub(super) partition_peak: f64,
    pub(super) manual: f64,
    pub(super) json: Json,
}

pub(super) fn needed_throughput(
    container: &Json,
    hours_counted: f64,
    prices: &PriceTable,
) -> NeededThroughput {
    let partitions = list(container, "partitions");
    #[expect(clippy::cast_precision_loss, reason = "a container has few partitions")]
    let count = partitions
        .iter()
        .filter(|partition| partition.get("retired").and_then(Json::as_bool) != Some(true))
        .count()
        .max(1) as f64;
    let peaks = hourly_peaks(partitions);
    let partition_peak = peaks.values().copied().fold(0.0, f64::max);
    // Every partition gets the same share, so all of them must be as large as the busiest one needs.
    let needed = partition_peak * count;
    let manual = round_up(needed, f64::from(MANUAL_THROUGHPUT_MIN), 100.0);
    let maximum = round_up(needed, f64::from(AUTOSCALE_THROUGHPUT_MIN), 1000.0);
    let hours: Vec<(u64, f64)> = peaks.iter().map(|(hour, peak)| (*hour, peak * count)).collect();
    let billed = billed_average(&hours, maximum, hours_counted);
    let mut object = Object::new();
    object.insert("physicalPartitions", decimal(count));
    object.insert("busiestSecondOfOnePartition", decimal(partition_peak));
    object.insert("busiestSecond", decimal(needed));
    object
        .insert("manual", priced("requestUnitsPerSecond", manual, prices.manual_per_month(manual)));
    let mut autoscale = priced("maximum", maximum, prices.autoscale_per_month(billed));
    if let Json::Object(autoscale) = &mut autoscale {
        autoscale.insert("billedPerSecondOnAverage", decimal(billed));
    }
    object.insert("autoscale", autoscale);
    object.insert("given", provisioned(container, &hours, hours_counted, prices));
    let latest = hours.iter().rev().take(HOURS_REPORTED).rev().map(|(hour, peak)| {
        let mut object = Object::new();
        object.insert("hour", hour_start(*hour));
        object.insert("peakPerSecond", decimal(*peak));
        Json::Object(object)
    });
    object.insert("hourlyPeaks", latest.collect::<Vec<_>>());
    NeededThroughput { partition_peak, manual, json: Json::Object(object) }
}

/// Whether one partition needed more throughput than a partition can have.
pub(super) fn is_beyond_one_partition(partition_peak: f64) -> bool {
    partition_peak > f64::from(THROUGHPUT_PER_PARTITION_MAX)
}

/// The provisioned throughput and its price; for autoscale, what would be billed for these hours.
fn provisioned(
    container: &Json,
    hours: &[(u64, f64)],
    hours_counted: f64,
    prices: &PriceTable,
) -> Json {
    let Some(throughput) = container.get("throughput") else { return Json::Null };
    let per_second = number(throughput, "requestUnitsPerSecond");
    let mut object = Object::new();
    object.insert("owner", text(throughput, "owner"));
    object.insert("kind", text(throughput, "kind"));
    object.insert("requestUnitsPerSecond", decimal(per_second));
    let price = if text(throughput, "kind") == "autoscale" {
        let billed = billed_average(hours, per_second, hours_counted);
        object.insert("billedPerSecondOnAverage", decimal(billed));
        prices.autoscale_per_month(billed)
    } else {
        prices.manual_per_month(per_second)
    };
    object.insert("pricePerMonth", decimal(price));
    Json::Object(object)
}

/// The busiest second of any partition, by hour.
fn hourly_peaks(partitions: &[Json]) -> BTreeMap<u64, f64> {
    let mut peaks = BTreeMap::new();
    for hour in partitions.iter().flat_map(|partition| list(partition, "hours")) {
        let number_of_hour = hour.get("hour").and_then(Json::as_i64).unwrap_or(0);
        let peak = peaks.entry(u64::try_from(number_of_hour).unwrap_or(0)).or_insert(0.0);
        *peak = f64::max(*peak, number(hour, "peakPerSecond"));
    }
    peaks
}

/// The average throughput billed. Each hour is billed at its peak, between a tenth of the maximum and the maximum;
/// hours without traffic at a tenth.
fn billed_average(hours: &[(u64, f64)], maximum: f64, hours_counted: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a month has few hours")]
    let busy = hours.len() as f64;
    let sum: f64 = hours.iter().map(|(_, peak)| peak.clamp(maximum / 10.0, maximum)).sum();
    let idle = (hours_counted - busy).max(0.0);
    // Hours without traffic have no entry, but are billed.
    (sum + idle * maximum / 10.0) / (busy + idle).max(1.0)
}

/// Rounds up to a multiple of a step, and to a minimum.
fn round_up(needed: f64, min: f64, step: f64) -> f64 {
    (needed / step).ceil().max(0.0).mul_add(step, 0.0).max(min)
}

fn priced(name: &str, per_second: f64, price: f64) -> Json {
    let mut object = Object::new();
    object.insert(name, decimal(per_second));
    object.insert("pricePerMonth", decimal(price));
    Json::Object(object)
}

/// The start of an hour in seconds since 1970.
fn hour_start(hour: u64) -> Json {
    Json::from(i64::try_from(hour.saturating_mul(3600)).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_hours_are_billed_at_a_tenth_and_no_hour_above_the_maximum() {
        let hours = [(1, 4000.0), (2, 100.0), (3, 9000.0)];
        assert!(
            (billed_average(&hours, 4000.0, 4.0) - (4000.0 + 400.0 + 4000.0 + 400.0) / 4.0).abs()
                < 1e-9
        );
        assert!((billed_average(&[], 4000.0, 1.0) - 400.0).abs() < 1e-9);
    }

    #[test]
    fn throughput_is_rounded_up_to_the_next_step() {
        for (needed, manual) in [(0.0, 400.0), (400.0, 400.0), (400.1, 500.0), (1234.0, 1300.0)] {
            assert!((round_up(needed, 400.0, 100.0) - manual).abs() < 1e-9, "{needed}");
        }
    }
}
