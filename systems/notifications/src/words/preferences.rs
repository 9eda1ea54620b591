//! What a user wants to be told, and when.
//!
//! Owns the stored form of `notification_preferences` and the meaning of its parts: true is quiet, an index is a local
//! hour. Does not own the change of them (`action/preferences`).

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::{Category, Moment, UserId};

/// One user's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Preferences {
    /// Equal to the user id.
    pub id: String,
    /// Whose they are.
    pub user_id: UserId,
    /// IANA name.
    pub timezone: String,
    /// One value for each local hour; true is quiet. Not stored until the user chose them: 24 indexed values.
    #[serde(default)]
    pub quiet_hours: QuietHours,
    /// The categories that can be switched.
    pub categories: Toggles,
    /// The language of texts; the default of the settings when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// First write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Moment>,
    /// Last write.
    pub updated_at: Moment,
}

/// The categories that can be switched. Safety and security cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Toggles {
    /// Other people.
    pub social: bool,
    /// About the system.
    pub news: bool,
    /// Offers.
    pub marketing: bool,
}

/// The 24 hours of a local day; true is quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QuietHours(pub [bool; 24]);

impl Default for QuietHours {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Preferences {
    /// Whether the user wants this category.
    #[must_use]
    pub fn wants(&self, category: Category) -> bool {
        match category {
            Category::Safety | Category::Security => true,
            Category::Social => self.categories.social,
            Category::News => self.categories.news,
            Category::Marketing => self.categories.marketing,
        }
    }

    /// Until when it is quiet for the user, or none when it is not quiet now.
    ///
    /// A zone that is no longer known counts as UTC: the item was checked when it was written.
    #[must_use]
    pub fn quiet_until(&self, now: Moment) -> Option<Moment> {
        let zone = zone(&self.timezone).unwrap_or(TimeZone::UTC);
        self.quiet_hours.quiet_until(now, &zone)
    }
}

/// The time zone of this IANA name, from the table inside the program.
#[must_use]
pub(crate) fn zone(name: &str) -> Option<TimeZone> {
    // `Local`-like and fixed forms have no place in stored preferences; only names of the table have.
    jiff::tz::TimeZoneDatabase::bundled().get(name).ok()
}

impl QuietHours {
    /// 22:00 to 07:00.
    pub const DEFAULT: Self = Self([
        true, true, true, true, true, true, true, false, false, false, false, false, false, false,
        false, false, false, false, false, false, false, false, true, true,
    ]);

    /// Never quiet.
    pub const NONE: Self = Self([false; 24]);

    /// The same with quiet and loud exchanged: how older data has to be read.
    #[must_use]
    pub fn inverted(self) -> Self {
        Self(self.0.map(|quiet| !quiet))
    }

    /// The first moment that is not quiet, when `now` is.
    ///
    /// Hours are those on the wall: where clocks are put forward an hour is left out, where they are put back one
    /// comes twice. All hours quiet: it stays so, and the end is a day away, where it is asked again.
    #[must_use]
    pub fn quiet_until(self, now: Moment, zone: &TimeZone) -> Option<Moment> {
        let local = now.timestamp().to_zoned(zone.clone());
        if !self.is_quiet(local.hour()) {
            return None;
        }
        // Offsets change by quarters of an hour at least, so the end of the window is found on that grid.
        const STEP_MS: u64 = 15 * 60 * 1000;
        let mut at = now.ms() / STEP_MS * STEP_MS;
        for _ in 0..(25 * 4) {
            at += STEP_MS;
            let moment = Moment::from_ms(at);
            if !self.is_quiet(moment.timestamp().to_zoned(zone.clone()).hour()) {
                return Some(moment);
            }
        }
        Some(now.after(std::time::Duration::from_secs(24 * 3600)))
    }

    fn is_quiet(self, hour: i8) -> bool {
        usize::try_from(hour).ok().and_then(|hour| self.0.get(hour).copied()).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Local hour at which it is quiet until, or "loud".
    fn check(zone_name: &str, now: &str, expected: &str) {
        let zone = zone(zone_name).unwrap();
        let until = QuietHours::DEFAULT.quiet_until(Moment::parse(now).unwrap(), &zone);
        let text = until.map_or_else(|| "loud".to_owned(), |until| until.to_string());
        assert_eq!(text, expected, "{zone_name} {now}");
    }

    #[test]
    fn an_hour_is_that_on_the_wall_in_summer_and_winter() {
        let angeles = "America/Los_Angeles";
        check(angeles, "2025-07-02T05:30:00Z", "2025-07-02T14:00:00.000Z");
        check(angeles, "2025-07-02T15:00:00Z", "loud");
        check(angeles, "2025-12-02T05:30:00Z", "loud");
        check(angeles, "2025-12-02T06:00:00Z", "2025-12-02T15:00:00.000Z");
    }

    #[test]
    fn the_night_is_shorter_when_clocks_are_put_forward_and_longer_when_back() {
        let angeles = "America/Los_Angeles";
        // 9 March 2025, 02:00 becomes 03:00: quiet from 06:00Z (22:00 PST) to 14:00Z (07:00 PDT).
        check(angeles, "2025-03-09T05:59:59.999Z", "loud");
        check(angeles, "2025-03-09T06:00:00Z", "2025-03-09T14:00:00.000Z");
        check(angeles, "2025-03-09T13:59:59.999Z", "2025-03-09T14:00:00.000Z");
        check(angeles, "2025-03-09T14:00:00Z", "loud");
        // 2 November 2025, 02:00 becomes 01:00: quiet from 05:00Z (22:00 PDT) to 15:00Z (07:00 PST).
        check(angeles, "2025-11-02T04:59:59.999Z", "loud");
        check(angeles, "2025-11-02T05:00:00Z", "2025-11-02T15:00:00.000Z");
        check(angeles, "2025-11-02T14:59:59.999Z", "2025-11-02T15:00:00.000Z");
        check(angeles, "2025-11-02T15:00:00Z", "loud");
    }

    #[test]
    fn zones_with_parts_of_hours_work() {
        // Kathmandu is 5:45 ahead, Lord Howe changes by half an hour.
        check("Asia/Kathmandu", "2025-07-01T16:15:00Z", "2025-07-02T01:15:00.000Z");
        check("Australia/Lord_Howe", "2025-10-04T12:00:00Z", "2025-10-04T20:00:00.000Z");
    }

    #[test]
    fn all_day_quiet_is_asked_again_tomorrow() {
        let now = Moment::parse("2025-07-01T12:00:00Z").unwrap();
        let until = QuietHours([true; 24]).quiet_until(now, &TimeZone::UTC).unwrap();
        assert_eq!(until.to_string(), "2025-07-02T12:00:00.000Z");
        assert_eq!(QuietHours::NONE.quiet_until(now, &TimeZone::UTC), None);
    }

    #[test]
    fn only_names_of_the_table_are_zones() {
        assert!(zone("Europe/Berlin").is_some());
        for name in ["Mars/Base", "", "+01:00", "local"] {
            assert!(zone(name).is_none(), "{name}");
        }
    }
}
