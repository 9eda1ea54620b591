//! Quiet hours: the local hours in which a user gets no pushes, also on days when daylight saving time begins or ends.
//!
//! Owns the stored form and finding the end of the quiet hours in a time zone. Does not own what happens with a push in
//! quiet hours (`reaction/push_plan`).

use std::time::Duration;

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::UtcTimestamp;

/// One value for each hour of a local day; `true` is quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QuietHours(pub [bool; 24]);

impl Default for QuietHours {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The time zone with this IANA name, from the table compiled into the program.
#[must_use]
pub(crate) fn find_time_zone(name: &str) -> Option<TimeZone> {
    // Only the table is asked. `TimeZone::get` would also use the table of the machine, which differs between machines.
    jiff::tz::TimeZoneDatabase::bundled().get(name).ok()
}

impl QuietHours {
    /// 22:00 to 07:00.
    pub const DEFAULT: Self = Self([
        true, true, true, true, true, true, true, false, false, false, false, false, false, false,
        false, false, false, false, false, false, false, false, true, true,
    ]);

    /// No hour is quiet.
    pub const NONE: Self = Self([false; 24]);

    /// Quiet and not quiet exchanged: older data stored the hours in which pushes are allowed.
    #[must_use]
    pub fn inverted(self) -> Self {
        Self(self.0.map(|quiet| !quiet))
    }

    /// The end of the quiet hours that `now` is in; `None` if it is in none.
    ///
    /// Hours are those of the local clock. When daylight saving time begins, an hour is skipped and the night is
    /// shorter; when it ends, an hour occurs twice and the night is longer. If all 24 hours are quiet, the result is a
    /// day from now, when the question is asked again.
    #[must_use]
    pub fn end(self, now: UtcTimestamp, time_zone: &TimeZone) -> Option<UtcTimestamp> {
        let local_hour = |at: UtcTimestamp| at.to_jiff().to_zoned(time_zone.clone()).hour();
        if !self.is_quiet(local_hour(now)) {
            return None;
        }
        // Time zone offsets are multiples of a quarter of an hour, so every local hour begins on this grid of UTC.
        // Walking the grid needs no rule for daylight saving: the local hour of each point already includes it.
        const GRID_MS: u64 = 15 * 60 * 1000;
        let mut at_ms = now.ms() / GRID_MS * GRID_MS;
        // 25 hours: the longest local day, on which the clock goes back.
        for _ in 0..(25 * 4) {
            at_ms += GRID_MS;
            let at = UtcTimestamp::from_ms(at_ms);
            if !self.is_quiet(local_hour(at)) {
                return Some(at);
            }
        }
        Some(now.after(Duration::from_secs(24 * 3600)))
    }

    fn is_quiet(self, hour: i8) -> bool {
        usize::try_from(hour).ok().and_then(|hour| self.0.get(hour).copied()).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the end of the default quiet hours, or "not quiet".
    fn check(time_zone: &str, now: &str, expected: &str) {
        let zone = find_time_zone(time_zone).unwrap();
        let end = QuietHours::DEFAULT.end(UtcTimestamp::parse(now).unwrap(), &zone);
        let text = end.map_or_else(|| "not quiet".to_owned(), |end| end.to_string());
        assert_eq!(text, expected, "{time_zone} {now}");
    }

    #[test]
    fn quiet_hours_follow_the_local_clock_in_summer_and_winter() {
        let los_angeles = "America/Los_Angeles";
        check(los_angeles, "2025-07-02T05:30:00Z", "2025-07-02T14:00:00.000Z");
        check(los_angeles, "2025-07-02T15:00:00Z", "not quiet");
        check(los_angeles, "2025-12-02T05:30:00Z", "not quiet");
        check(los_angeles, "2025-12-02T06:00:00Z", "2025-12-02T15:00:00.000Z");
    }

    #[test]
    fn quiet_hours_are_shorter_when_daylight_saving_begins_and_longer_when_it_ends() {
        let los_angeles = "America/Los_Angeles";
        // 9 March 2025, 02:00 becomes 03:00: quiet from 06:00Z (22:00 PST) to 14:00Z (07:00 PDT).
        check(los_angeles, "2025-03-09T05:59:59.999Z", "not quiet");
        check(los_angeles, "2025-03-09T06:00:00Z", "2025-03-09T14:00:00.000Z");
        check(los_angeles, "2025-03-09T13:59:59.999Z", "2025-03-09T14:00:00.000Z");
        check(los_angeles, "2025-03-09T14:00:00Z", "not quiet");
        // 2 November 2025, 02:00 becomes 01:00: quiet from 05:00Z (22:00 PDT) to 15:00Z (07:00 PST).
        check(los_angeles, "2025-11-02T04:59:59.999Z", "not quiet");
        check(los_angeles, "2025-11-02T05:00:00Z", "2025-11-02T15:00:00.000Z");
        check(los_angeles, "2025-11-02T14:59:59.999Z", "2025-11-02T15:00:00.000Z");
        check(los_angeles, "2025-11-02T15:00:00Z", "not quiet");
    }

    #[test]
    fn time_zones_with_offsets_of_partial_hours_work() {
        // Kathmandu is 5:45 ahead of UTC, Lord Howe changes its clock by half an hour.
        check("Asia/Kathmandu", "2025-07-01T16:15:00Z", "2025-07-02T01:15:00.000Z");
        check("Australia/Lord_Howe", "2025-10-04T12:00:00Z", "2025-10-04T20:00:00.000Z");
    }

    #[test]
    fn a_day_of_quiet_hours_is_asked_again_tomorrow() {
        let now = UtcTimestamp::parse("2025-07-01T12:00:00Z").unwrap();
        let end = QuietHours([true; 24]).end(now, &TimeZone::UTC).unwrap();
        assert_eq!(end.to_string(), "2025-07-02T12:00:00.000Z");
        assert_eq!(QuietHours::NONE.end(now, &TimeZone::UTC), None);
    }

    #[test]
    fn only_names_of_the_table_are_time_zones() {
        assert!(find_time_zone("Europe/Berlin").is_some());
        for name in ["Mars/Base", "", "+01:00", "local"] {
            assert!(find_time_zone(name).is_none(), "{name}");
        }
    }
}
