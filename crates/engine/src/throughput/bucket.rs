//! The token bucket of one physical partition: request units are added with time and taken by charges.
//!
//! Owns filling, debiting, burst capacity and the time to wait. Time and throughput are parameters. The charge of an
//! operation is known only after it ran, so that the level may become negative; the next request then waits until it is
//! zero again.

use std::sync::{Mutex, MutexGuard, PoisonError};

use model::{RequestCharge, TimestampMs};

/// Parts of a request unit that charges are counted in.
const PARTS_PER_REQUEST_UNIT: i64 = RequestCharge::PARTS_PER_REQUEST_UNIT as i64;
/// A partition with less throughput than this may burst up to it.
// Both numbers are those of the service: 3,000 request units per second, from at most five minutes.
const BURST_PER_SECOND_MAX: i64 = 3000;
/// Seconds of unused throughput that are kept for a burst.
const BURST_SECONDS_MAX: i64 = 300;
/// Longer idle times are cut to this; more than `BURST_SECONDS_MAX`, so that nothing is lost.
const IDLE_MS_MAX: u64 = 400_000;

/// A bucket that was filled further ahead of the clock than this was filled by a wrong clock.
const CLOCK_LEAD_MAX_MS: u64 = 60_000;

/// Request units per second of one bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RefillRate(pub(crate) u32);

impl RefillRate {
    /// Parts of a request unit per second, which equals thousandths of parts per millisecond.
    fn parts(self) -> i64 {
        i64::from(self.0) * PARTS_PER_REQUEST_UNIT
    }

    /// Thousandths of parts that burst capacity adds per millisecond.
    fn burst_parts(self) -> i64 {
        (BURST_PER_SECOND_MAX * PARTS_PER_REQUEST_UNIT - self.parts()).max(0)
    }
}

/// The request units that one physical partition may spend.
#[derive(Debug, Default)]
pub(crate) struct Bucket {
    level: Mutex<Option<BucketLevel>>,
}

/// Amounts are in thousandths of the parts of a request unit, so that a millisecond adds a whole number of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BucketLevel {
    at: TimestampMs,
    now: i64,
    /// Unused throughput of the last minutes.
    burst: i64,
    /// How much of the burst may be used now: it limits the rate of a burst.
    drawable: i64,
}

impl BucketLevel {
    fn full(at: TimestampMs, rate: RefillRate) -> Self {
        // A new bucket holds one second, but no burst: nothing was unused yet.
        let (now, drawable) = (rate.parts() * 1000, rate.burst_parts() * 1000);
        Self { at, now, burst: 0, drawable }
    }

    fn fill(&mut self, at: TimestampMs, rate: RefillRate) {
        let elapsed_ms = at.0.saturating_sub(self.at.0).min(IDLE_MS_MAX);
        // A clock that goes back adds nothing, and must not add the same time again later. One that was far ahead is
        // followed: waiting for it to catch up would refuse requests for as long as it was wrong.
        let is_corrected = at.0.saturating_add(CLOCK_LEAD_MAX_MS) < self.at.0;
        self.at = if is_corrected { at } else { self.at.max(at) };
        let elapsed_ms = i64::try_from(elapsed_ms).unwrap_or(0);
        // The bucket holds one second of throughput; what does not fit becomes burst capacity.
        let capacity = rate.parts() * 1000;
        let filled = self.now + elapsed_ms * rate.parts();
        self.now = filled.min(capacity);
        let burst_max = if rate.burst_parts() > 0 { BURST_SECONDS_MAX * capacity } else { 0 };
        self.burst = (self.burst + (filled - capacity).max(0)).min(burst_max);
        let drawable = self.drawable + elapsed_ms * rate.burst_parts();
        self.drawable = drawable.min(rate.burst_parts() * 1000);
    }

    /// Covers a negative level from the burst, as far as possible.
    fn draw(&mut self) {
        let drawn = (-self.now).min(self.burst).min(self.drawable).max(0);
        self.now += drawn;
        self.burst -= drawn;
        self.drawable -= drawn;
    }

    fn wait_ms(&self, rate: RefillRate) -> u64 {
        // While there is burst capacity, the level rises faster by the rate at which it may be used.
        // Positive: this is asked only when the level is below zero.
        let missing = -self.now;
        let per_ms = rate.parts() + if self.burst >= missing { rate.burst_parts() } else { 0 };
        // Rounded up: a client that waits exactly this long must be admitted.
        let wait = (missing + per_ms.max(1) - 1) / per_ms.max(1);
        u64::try_from(wait).unwrap_or(1).max(1)
    }
}

impl Bucket {
    /// Admits a request; otherwise returns how long it should wait, in milliseconds.
    pub(crate) fn admit(&self, now: TimestampMs, rate: RefillRate) -> Result<(), u64> {
        let mut level = self.filled(now, rate);
        let level = level.get_or_insert_with(|| BucketLevel::full(now, rate));
        level.draw();
        if level.now >= 0 { Ok(()) } else { Err(level.wait_ms(rate)) }
    }

    /// Takes the charge of an operation.
    pub(crate) fn debit(&self, now: TimestampMs, rate: RefillRate, charge: RequestCharge) {
        let mut level = self.filled(now, rate);
        let level = level.get_or_insert_with(|| BucketLevel::full(now, rate));
        // Below the limit of the product in the next line.
        let parts = i64::try_from(charge.parts()).unwrap_or(i64::MAX / 1000);
        level.now = level.now.saturating_sub(parts.saturating_mul(1000));
    }

    /// Unused whole request units, without burst capacity.
    pub(crate) fn left_over(&self, now: TimestampMs, rate: RefillRate) -> u64 {
        let mut level = self.filled(now, rate);
        let level = level.get_or_insert_with(|| BucketLevel::full(now, rate));
        u64::try_from(level.now / (1000 * PARTS_PER_REQUEST_UNIT)).unwrap_or(0)
    }

    fn filled(&self, now: TimestampMs, rate: RefillRate) -> MutexGuard<'_, Option<BucketLevel>> {
        let mut level = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(level) = level.as_mut() {
            level.fill(now, rate);
        }
        level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 1_800_000_000_000;

    fn at(ms: u64) -> TimestampMs {
        TimestampMs(START + ms)
    }

    fn spend(bucket: &Bucket, ms: u64, rate: RefillRate, request_units: u64) {
        bucket.debit(at(ms), rate, RequestCharge::from_request_units(request_units));
    }

    #[test]
    fn a_charge_may_go_below_nothing_and_the_next_request_waits_for_the_difference() {
        let (bucket, rate) = (Bucket::default(), RefillRate(4000));
        assert_eq!(bucket.admit(at(0), rate), Ok(()));
        spend(&bucket, 0, rate, 6000);
        assert_eq!(bucket.admit(at(0), rate), Err(500));
        assert_eq!(bucket.admit(at(499), rate), Err(1));
        assert_eq!(bucket.admit(at(500), rate), Ok(()));
    }

    #[test]
    fn a_bucket_holds_one_second() {
        let (bucket, rate) = (Bucket::default(), RefillRate(4000));
        bucket.admit(at(0), rate).unwrap();
        spend(&bucket, 60_000, rate, 4000);
        assert_eq!(bucket.admit(at(60_000), rate), Ok(()), "at nothing, not below");
        spend(&bucket, 60_000, rate, 1);
        assert_eq!(bucket.admit(at(60_000), rate), Err(1));
    }

    #[test]
    fn unused_throughput_of_five_minutes_is_a_burst_of_three_thousand_per_second() {
        let (bucket, rate) = (Bucket::default(), RefillRate(400));
        bucket.admit(at(0), rate).unwrap();
        let later = 3_600_000;
        // The second of its own and 2600 of the burst.
        spend(&bucket, later, rate, 3000);
        assert_eq!(bucket.admit(at(later), rate), Ok(()));
        spend(&bucket, later, rate, 300);
        assert_eq!(bucket.admit(at(later), rate), Err(100), "3000 per second and no more");
        // 120000 were kept, 2600 are gone; each further second adds 400 and takes 2600 of the rest.
        let mut seconds = 0;
        while seconds < 1000 && bucket.admit(at(later + 1000 * (seconds + 1)), rate).is_ok() {
            seconds += 1;
            spend(&bucket, later + 1000 * seconds, rate, 3000);
        }
        assert_eq!(seconds, 46);
    }

    #[test]
    fn partitions_of_three_thousand_and_more_have_no_burst() {
        let (bucket, rate) = (Bucket::default(), RefillRate(3000));
        bucket.admit(at(0), rate).unwrap();
        spend(&bucket, 3_600_000, rate, 3300);
        assert_eq!(bucket.admit(at(3_600_000), rate), Err(100));
    }

    #[test]
    fn what_is_left_over_is_never_burst_capacity() {
        let (bucket, rate) = (Bucket::default(), RefillRate(400));
        assert_eq!(bucket.left_over(at(0), rate), 400);
        spend(&bucket, 600_000, rate, 390);
        assert_eq!(bucket.left_over(at(600_000), rate), 10);
        spend(&bucket, 600_000, rate, 30);
        assert_eq!(bucket.left_over(at(600_000), rate), 0);
    }

    #[test]
    fn a_clock_that_goes_back_fills_nothing() {
        let (bucket, rate) = (Bucket::default(), RefillRate(1000));
        bucket.admit(at(10_000), rate).unwrap();
        spend(&bucket, 10_000, rate, 3000);
        assert!(bucket.admit(at(0), rate).is_err());
        assert!(bucket.admit(at(10_000), rate).is_err());
    }
}
