//! The charge of scripts: what they cost besides their operations.
//!
//! Owns the base of a script and the price of its time, and that of a call of a user-defined function. The service
//! publishes neither; both are assumptions.

use std::time::Duration;

use crate::RequestCharge;

/// Running a script at all, in 1/21 request units: as much as reading nothing.
const SCRIPT_UNITS: u64 = 21;

/// Calls of a user-defined function for one request unit.
const CALLS_PER_REQUEST_UNIT: u64 = 20;

/// The charge of a request with scripts, besides that of its operations: a base, and one request unit for each 10 ms
/// that it took.
#[must_use]
pub fn script_charge(time: Duration) -> RequestCharge {
    let tens = u64::try_from(time.as_millis() / 10).unwrap_or(u64::MAX);
    RequestCharge::from_units(SCRIPT_UNITS) + RequestCharge::from_request_units(tens)
}

/// The charge of calls of user-defined functions.
#[must_use]
pub fn function_calls(count: u64) -> RequestCharge {
    let parts = RequestCharge::PARTS_PER_REQUEST_UNIT / CALLS_PER_REQUEST_UNIT;
    RequestCharge::from_parts(count.saturating_mul(parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_costs_its_base_and_its_time() {
        assert_eq!(script_charge(Duration::ZERO).to_string(), "1");
        assert_eq!(script_charge(Duration::from_millis(25)).to_string(), "3");
        assert_eq!(function_calls(10).to_string(), "0.5");
    }
}
