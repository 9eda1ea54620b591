//! Which physical partitions of a container have been hot for minutes.
//!
//! Owns the observation of the counters over time. Time is a parameter; whoever observes decides how often, and what to
//! do about a hot partition. Bounded: one entry per partition, and one copy of the table of busy logical partitions
//! while a partition is hot.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use model::{RequestCharge, TimestampMs};

use super::busiest::BusiestPartitions;

/// A partition is judged by whole minutes: shorter peaks are what burst capacity and retries are for.
const MINUTE_MS: u64 = 60_000;
/// How many minutes in a row make a partition hot. A split copies the partition, which a short peak does not justify.
const HOT_MINUTES: u32 = 5;

/// The partitions of one container that are watched.
#[derive(Debug, Default)]
pub(crate) struct HeatWatch {
    partitions: Mutex<BTreeMap<u32, Heat>>,
}

#[derive(Debug)]
struct Heat {
    /// When the current minute began, and what was spent until then.
    since: TimestampMs,
    spent: u64,
    hot_minutes: u32,
    /// What was spent at the end of the first hot minute, in all and by logical partition.
    first_spent: u64,
    first_by_logical: HashMap<Vec<u8>, u64>,
}

/// One physical partition at one moment.
pub(crate) struct HeatSample<'a> {
    pub(crate) partition: u32,
    pub(crate) now: TimestampMs,
    /// Spent since counting began.
    pub(crate) spent: RequestCharge,
    pub(crate) busiest: &'a BusiestPartitions,
}

impl HeatWatch {
    /// Forgets partitions that were split or merged.
    pub(crate) fn keep(&self, partitions: &[u32]) {
        let mut watched = self.partitions.lock().unwrap_or_else(PoisonError::into_inner);
        watched.retain(|number, _| partitions.contains(number));
    }

    /// Observes a partition. It is hot if it spent at least `per_second_max` request units per second in each of the
    /// last minutes, and if no logical partition, of those `is_inside`, has spent more than half of it: such a one
    /// stays whole in a split, so that a split would not help.
    pub(crate) fn observe(
        &self,
        sample: &HeatSample<'_>,
        per_second_max: u32,
        is_inside: impl Fn(&[u8]) -> bool,
    ) -> bool {
        let (now, spent) = (sample.now, sample.spent.parts());
        let mut watched = self.partitions.lock().unwrap_or_else(PoisonError::into_inner);
        let heat = watched.entry(sample.partition).or_insert_with(|| Heat::begin(now, spent));
        if now.0 < heat.since.0 {
            // The clock was set back; what was spent until now cannot be divided by a time.
            *heat = Heat::begin(now, spent);
        }
        let elapsed_ms = now.0 - heat.since.0;
        if elapsed_ms < MINUTE_MS {
            return false;
        }
        let parts_max = u64::from(per_second_max) * RequestCharge::PARTS_PER_REQUEST_UNIT;
        let in_minute = spent.saturating_sub(heat.spent);
        if in_minute.saturating_mul(1000) < parts_max.saturating_mul(elapsed_ms) {
            *heat = Heat::begin(now, spent);
            return false;
        }
        (heat.since, heat.spent) = (now, spent);
        heat.hot_minutes += 1;
        if heat.hot_minutes == 1 {
            heat.first_spent = spent;
            let all = sample.busiest.all().into_iter();
            heat.first_by_logical = all.map(|busy| (busy.partition, busy.charge.parts())).collect();
        }
        if heat.hot_minutes < HOT_MINUTES {
            return false;
        }
        let is_divisible = heat.is_divisible(sample, is_inside);
        // Either way it is judged anew: after a split it is gone, and what cannot be divided now may be later.
        *heat = Heat::begin(now, spent);
        is_divisible
    }
}

impl Heat {
    fn begin(since: TimestampMs, spent: u64) -> Self {
        let first_by_logical = HashMap::new();
        Self { since, spent, hot_minutes: 0, first_spent: spent, first_by_logical }
    }

    fn is_divisible(&self, sample: &HeatSample<'_>, is_inside: impl Fn(&[u8]) -> bool) -> bool {
        let spent = self.spent.saturating_sub(self.first_spent);
        sample.busiest.all().iter().filter(|busy| is_inside(&busy.partition)).all(|busy| {
            let before = self.first_by_logical.get(&busy.partition);
            // One that was not in the table has inherited the charge of another as its excess.
            let before = before.copied().unwrap_or(busy.excess.parts());
            busy.charge.parts().saturating_sub(before).saturating_mul(2) <= spent
        })
    }
}
