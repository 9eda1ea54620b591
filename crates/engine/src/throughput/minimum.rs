//! The minimum throughput of a database or container: it depends on the stored bytes and on the highest throughput so
//! far.
//!
//! Owns the rule and its error message. Absolute limits and increments are in `model`.

use model::Throughput;
use model::limits::{AUTOSCALE_THROUGHPUT_MIN, MANUAL_THROUGHPUT_MIN, THROUGHPUT_MAX};

use crate::error::{Error, Result};

const GIGABYTE: u64 = 1024 * 1024 * 1024;
/// Containers that may share the throughput of a database before each further one raises its minimum.
const SHARED_CONTAINERS: usize = 25;
/// By how much each further container raises it, in request units per second.
const PER_FURTHER_CONTAINER: u32 = 100;

/// What the minimum depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holding {
    pub(crate) item_bytes: u64,
    pub(crate) highest_ever: u32,
    /// Number of containers that share the throughput; zero for dedicated throughput.
    pub(crate) sharing: usize,
}

/// The minimum manual value, or the minimum autoscale maximum.
pub(crate) fn least(throughput: Throughput, holding: Holding) -> u32 {
    let gigabytes = u32::try_from(holding.item_bytes.div_ceil(GIGABYTE)).unwrap_or(u32::MAX);
    // One request unit per second and gigabyte. The rounding up does not matter for small containers: the absolute
    // minimum is far above it.
    let further = u32::try_from(holding.sharing.saturating_sub(SHARED_CONTAINERS)).unwrap_or(0);
    let further = further.saturating_mul(PER_FURTHER_CONTAINER);
    match throughput {
        Throughput::Manual(_) => (MANUAL_THROUGHPUT_MIN + further)
            .max(gigabytes)
            // The rules of the service: 1/100 of the highest manual value, 1/10 of the highest autoscale maximum.
            .max(holding.highest_ever / 100)
            // Throughput is set in these increments, so the minimum must be one of them.
            .next_multiple_of(100),
        Throughput::Autoscale { .. } => (AUTOSCALE_THROUGHPUT_MIN + further.saturating_mul(10))
            .max(gigabytes.saturating_mul(10))
            .max(holding.highest_ever / 10)
            .next_multiple_of(1000),
    }
}

/// Refuses throughput below the minimum, with the message of the service.
pub(crate) fn check_minimum(throughput: Throughput, holding: Holding) -> Result<()> {
    let least = least(throughput, holding);
    if throughput.highest() >= least {
        return Ok(());
    }
    let wanted = throughput.highest();
    Err(Error::invalid(match throughput {
        Throughput::Manual(_) => format!(
            "The offer should have valid throughput values between {least} and {THROUGHPUT_MAX} inclusive in \
             increments of 100. Requested throughput was {wanted}."
        ),
        Throughput::Autoscale { .. } => format!(
            "Requested throughput {wanted} is less than required minimum throughput {least}. The minimum follows \
             from what is stored and from the highest throughput there ever was, {}.",
            holding.highest_ever
        ),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(throughput: Throughput, gigabytes: u64, highest_ever: u32, sharing: usize, is: u32) {
        let holding = Holding { item_bytes: gigabytes * GIGABYTE, highest_ever, sharing };
        assert_eq!(least(throughput, holding), is, "{throughput:?} {holding:?}");
    }

    #[test]
    fn the_minimum_follows_storage_history_and_sharing() {
        let manual = Throughput::Manual(400);
        let autoscale = Throughput::Autoscale { maximum: 1000, increment_percent: None };
        check(manual, 0, 400, 0, 400);
        check(manual, 399, 400, 0, 400);
        check(manual, 401, 400, 0, 500);
        check(manual, 0, 40_000, 0, 400);
        check(manual, 0, 50_000, 0, 500);
        check(manual, 0, 50_100, 0, 600);
        check(manual, 0, 400, 25, 400);
        check(manual, 0, 400, 27, 600);
        check(autoscale, 0, 1000, 0, 1000);
        check(autoscale, 150, 1000, 0, 2000);
        check(autoscale, 0, 30_000, 0, 3000);
        check(autoscale, 0, 31_000, 0, 4000);
    }

    #[test]
    fn the_refusal_names_both_numbers() {
        let holding = Holding { highest_ever: 50_000, ..Holding::default() };
        let refused = check_minimum(Throughput::Manual(400), holding).unwrap_err();
        assert_eq!(
            refused.message(),
            "The offer should have valid throughput values between 500 and 1000000 inclusive in increments of 100. \
             Requested throughput was 400."
        );
        assert!(check_minimum(Throughput::Manual(500), holding).is_ok());
        let autoscale = Throughput::Autoscale { maximum: 4000, increment_percent: None };
        let refused = check_minimum(autoscale, holding).unwrap_err();
        let words = "Requested throughput 4000 is less than required minimum throughput 5000.";
        assert!(refused.message().starts_with(words), "{}", refused.message());
    }
}
