//! Capacity planning: throughput by container and its price, from the number of users and what they do.
//!
//! Uses the measured charges; a factor accounts for the busiest second of a day.

use std::collections::BTreeMap;

use engine::usage::PriceTable;

use super::figure::{self, SeedFigure};
use super::measure::OperationCharge;
use crate::command::system::by_container;

const DAY_SECONDS: f64 = 24.0 * 3600.0;
/// Polls of an idle worker per second: `PollMilliseconds` is 500.
const ROUNDS_PER_SECOND: f64 = 2.0;
/// The smallest autoscale maximum, and its increment.
const AUTOSCALE_STEP: f64 = 1_000.0;
/// The smallest manual throughput, and its increment.
const MANUAL_MIN: f64 = 400.0;
const MANUAL_STEP: f64 = 100.0;
/// NT-008: autoscale 1,000 to 10,000 for 10,000 to 100,000 users.
pub(super) const SEED_RANGE: (f64, f64) = (1_000.0, 10_000.0);
pub(super) const SEED_USERS: (f64, f64) = (10_000.0, 100_000.0);

/// What users do per day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct UserLoad {
    pub(super) users: f64,
    pub(super) events_per_user: f64,
    /// How often a user opens the list: a page and the unread count.
    pub(super) reads_per_user: f64,
    /// Number of notifications a user marks as read or dismisses.
    pub(super) marks_per_user: f64,
    /// Ratio of the busiest second to the average second.
    pub(super) peak_factor: f64,
    pub(super) workers: f64,
}

/// The throughput that a container needs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlannedThroughput {
    pub(super) container: String,
    pub(super) average: f64,
    pub(super) peak: f64,
    pub(super) manual: f64,
    pub(super) autoscale_maximum: f64,
    pub(super) manual_price: f64,
    pub(super) autoscale_price: f64,
}

/// Plans the throughput of all containers, by name.
pub(super) fn plan(
    load: UserLoad,
    measured: &[OperationCharge],
    prices: &PriceTable,
) -> Vec<PlannedThroughput> {
    let per_second = |per_day: f64| load.users * per_day / DAY_SECONDS;
    let done = [
        (figure::ENQUEUE, per_second(load.events_per_user)),
        (figure::PROCESS_PUSHED, per_second(load.events_per_user)),
        (figure::PAGE, per_second(load.reads_per_user)),
        (figure::UNREAD, per_second(load.reads_per_user)),
        (figure::READ, per_second(load.marks_per_user)),
    ];
    let mut averages: BTreeMap<String, f64> = BTreeMap::new();
    let mut add = |figure: SeedFigure, times: f64| {
        let row = measured.iter().find(|row| row.figure == figure);
        for (container, charge) in row.map(|row| by_container(&row.calls)).unwrap_or_default() {
            *averages.entry(container).or_default() += charge * times;
        }
    };
    for (figure, times) in done {
        add(figure, times * load.peak_factor);
    }
    // Polling costs the same at any time, so it has no peak.
    let mut busy = averages.clone();
    let idle = measured.iter().find(|row| row.figure == figure::ROUND);
    let idle = idle.map(|row| by_container(&row.calls)).unwrap_or_default();
    for (container, charge) in &idle {
        *busy.entry(container.clone()).or_default() += charge * ROUNDS_PER_SECOND * load.workers;
    }
    let needs = busy.into_iter().map(|(container, peak)| {
        let steady =
            idle.get(&container).copied().unwrap_or_default() * ROUNDS_PER_SECOND * load.workers;
        // Back from the peak to the average; the part of polling was not multiplied.
        let average = (peak - steady) / load.peak_factor + steady;
        need(container, average, peak, prices)
    });
    needs.collect()
}

fn need(container: String, average: f64, peak: f64, prices: &PriceTable) -> PlannedThroughput {
    let round_up = |min: f64, step: f64| ((peak / step).ceil() * step).max(min);
    let manual = round_up(MANUAL_MIN, MANUAL_STEP);
    let maximum = round_up(AUTOSCALE_STEP, AUTOSCALE_STEP);
    let per_month = |per_second: f64| {
        per_second / 100.0 * prices.manual_per_100_per_hour * prices.hours_per_month
    };
    // Every hour is billed at its peak, but at least a tenth of the maximum; the average approximates it.
    let billed = average.clamp(maximum / 10.0, maximum);
    PlannedThroughput {
        container,
        average,
        peak,
        manual,
        autoscale_maximum: maximum,
        manual_price: per_month(manual),
        autoscale_price: per_month(billed) * prices.autoscale_factor,
    }
}

/// Compares the plan with the recommendation of the seed, as a sentence.
pub(super) fn compare(load: UserLoad, needs: &[PlannedThroughput]) -> String {
    let (least, most) = SEED_RANGE;
    let peak: f64 = needs.iter().map(|need| need.peak).sum();
    let (few, many) = SEED_USERS;
    let scope = match load.users {
        users if users < few => "fewer users than it covers",
        users if users > many => "more users than it covers",
        _ => "the users it covers",
    };
    let verdict = if peak > most {
        "it is not enough: raise the maximum"
    } else if peak < least {
        "it is more than needed; 400 RU/s of manual throughput per container, or shared throughput, is enough"
    } else {
        "it is enough"
    };
    format!(
        "the seed recommends autoscale {least:.0} to {most:.0} RU/s for {few:.0} to {many:.0} users ({scope}); \
         the busiest second needs {peak:.0} RU/s over all containers: {verdict}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::system::AccountCall;

    const LOAD: UserLoad = UserLoad {
        users: 86_400.0,
        events_per_user: 10.0,
        reads_per_user: 0.0,
        marks_per_user: 0.0,
        peak_factor: 4.0,
        workers: 1.0,
    };

    fn measured(figure: SeedFigure, container: &str, charge: f64) -> OperationCharge {
        let (operation, container) = ("create".to_owned(), container.to_owned());
        OperationCharge { figure, calls: vec![AccountCall { operation, container, charge }] }
    }

    #[test]
    fn work_has_a_peak_and_looking_for_news_has_none() {
        let rows = [
            measured(figure::ENQUEUE, "notification_events", 10.0),
            measured(figure::ROUND, "notification_events", 3.0),
        ];
        let needs = plan(LOAD, &rows, &PriceTable::default());
        let need = needs.first().unwrap();
        // Ten events a second of 10 RU, and two rounds of 3 RU.
        assert!(
            (need.average - 106.0).abs() < 1e-6 && (need.peak - 406.0).abs() < 1e-6,
            "{need:?}"
        );
        assert!(
            (need.manual - 500.0).abs() < 1e-6 && (need.autoscale_maximum - 1_000.0).abs() < 1e-6
        );
        // 500 RU/s for 730 hours at 0.008 for each hundred.
        assert!((need.manual_price - 29.2).abs() < 1e-6, "{need:?}");
        assert!((need.autoscale_price - 106.0 / 100.0 * 0.008 * 730.0 * 1.5).abs() < 1e-6);
    }

    #[test]
    fn the_recommendation_is_judged_by_the_busiest_second() {
        let of = |charge: f64| {
            let rows = [measured(figure::ENQUEUE, "notification_events", charge)];
            compare(LOAD, &plan(LOAD, &rows, &PriceTable::default()))
        };
        assert!(of(10.0).contains("more than needed"));
        assert!(of(100.0).ends_with("it is enough"));
        assert!(of(1_000.0).contains("not enough"));
    }
}
