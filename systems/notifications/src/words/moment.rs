//! A moment as it is stored: always UTC, always three digits of milliseconds.
//!
//! Owns that one form, because queries compare times as texts. Other forms of RFC 3339 are read and written back in it.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Milliseconds since 1970, between the years 1970 and 9999.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Moment(i64);

/// 9999-12-30T21:59:59.999Z: every one up to here has a local time in every zone.
const LAST_MS: i64 = 253_402_207_199_999;

impl Moment {
    /// The moment so many milliseconds after 1970.
    #[must_use]
    pub fn from_ms(ms: u64) -> Self {
        Self(i64::try_from(ms).unwrap_or(LAST_MS).min(LAST_MS))
    }

    /// The environment's time now.
    #[must_use]
    pub fn now(environment: &client::Environment) -> Self {
        Self::from_ms(environment.now().0)
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub fn ms(self) -> u64 {
        u64::try_from(self.0).unwrap_or(0)
    }

    /// Reads any RFC 3339 text with an offset.
    ///
    /// # Errors
    /// A sentence that shows the right form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is no time; write it like 2025-11-20T08:30:00.000Z");
        let timestamp: jiff::Timestamp = text.parse().map_err(|_| wrong())?;
        let ms = timestamp.as_millisecond();
        if (0..=LAST_MS).contains(&ms) { Ok(Self(ms)) } else { Err(wrong()) }
    }

    /// So much later.
    #[must_use]
    pub fn after(self, by: Duration) -> Self {
        let by = i64::try_from(by.as_millis()).unwrap_or(LAST_MS);
        Self(self.0.saturating_add(by).min(LAST_MS))
    }

    /// So much earlier.
    #[must_use]
    pub fn before(self, by: Duration) -> Self {
        let by = i64::try_from(by.as_millis()).unwrap_or(LAST_MS);
        Self(self.0.saturating_sub(by).max(0))
    }

    /// How long after `earlier` it is; zero when it is not.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// The same moment for arithmetic with calendars.
    #[must_use]
    pub fn timestamp(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }
}

/// `YYYY-MM-DDTHH:MM:SS.mmmZ`.
impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let utc = jiff::tz::Offset::UTC.to_datetime(self.timestamp());
        write!(
            formatter,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            utc.year(),
            utc.month(),
            utc.day(),
            utc.hour(),
            utc.minute(),
            utc.second(),
            utc.millisecond()
        )
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

impl From<Moment> for client::Json {
    fn from(moment: Moment) -> Self {
        moment.to_string().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, stored: &str) {
        assert_eq!(Moment::parse(text).unwrap().to_string(), stored);
    }

    #[test]
    fn every_form_is_stored_in_one() {
        check("2025-11-20T08:30:00.000Z", "2025-11-20T08:30:00.000Z");
        check("2025-11-20T08:30:00Z", "2025-11-20T08:30:00.000Z");
        check("2025-11-20T08:30:00.123456789Z", "2025-11-20T08:30:00.123Z");
        check("2025-11-20T09:30:00.5+01:00", "2025-11-20T08:30:00.500Z");
    }

    #[test]
    fn what_has_no_offset_or_no_place_in_the_form_is_refused() {
        for text in ["2025-11-20T08:30:00", "yesterday", "1969-12-31T23:59:59Z", ""] {
            assert!(Moment::parse(text).unwrap_err().contains("2025-11-20T08:30:00.000Z"));
        }
    }

    #[test]
    fn texts_sort_like_moments() {
        let mut moments: Vec<Moment> =
            [0, 1, 999, 1_000, 1_763_627_400_000, u64::MAX].map(Moment::from_ms).into();
        let by_text = {
            let mut sorted = moments.clone();
            sorted.sort_by_key(ToString::to_string);
            sorted
        };
        moments.sort();
        assert_eq!(moments, by_text);
    }
}
