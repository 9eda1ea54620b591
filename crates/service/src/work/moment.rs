//! A moment as documents store it.
//!
//! Owns the one form: UTC, milliseconds, always 24 characters, because stored times are compared as text.

use std::fmt;
use std::time::Duration;

use client::{Container, TimestampMs};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment, stored as `2025-07-02T05:30:00.000Z`. Read from any RFC 3339 text and written in this form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub TimestampMs);

/// The first moment of 9999-12-30: later ones have no date in every time zone.
const LAST_MS: u64 = 253_402_128_000_000;

impl Moment {
    /// The time now, by the clock of the container's account.
    #[must_use]
    pub fn now(container: &Container) -> Self {
        Self(container.account().environment().now())
    }

    /// This long after; the last days of the year 9999 at most.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self(TimestampMs(self.0.0.saturating_add(ms).min(LAST_MS)))
    }

    /// How long it is from `earlier` to this; zero when that is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.0.saturating_sub(earlier.0.0))
    }

    /// The moment a text names; none when it names none after 1970.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let timestamp: jiff::Timestamp = text.parse().ok()?;
        u64::try_from(timestamp.as_millisecond()).ok().map(|ms| Self(TimestampMs(ms)))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = i64::try_from(self.0.0.min(LAST_MS)).map_err(|_| fmt::Error)?;
        let timestamp = jiff::Timestamp::from_millisecond(ms).map_err(|_| fmt::Error)?;
        write!(formatter, "{timestamp:.3}")
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            D::Error::custom(format!("'{text}' is no time such as 2025-07-02T05:30:00.000Z"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(
            Moment::parse(text).map(|moment| moment.to_string()).as_deref(),
            expected,
            "{text}"
        );
    }

    #[test]
    fn every_moment_has_one_text_of_24_characters() {
        check("2025-07-02T05:30:00Z", Some("2025-07-02T05:30:00.000Z"));
        check("2025-07-02T05:30:00.5Z", Some("2025-07-02T05:30:00.500Z"));
        check("2025-07-02T07:30:00.123456+02:00", Some("2025-07-02T05:30:00.123Z"));
        check("yesterday", None);
        check("1969-12-31T23:59:59Z", None);
        assert_eq!(Moment(TimestampMs(u64::MAX)).to_string(), "9999-12-30T00:00:00.000Z");
        assert_eq!(Moment::default().plus(Duration::MAX).to_string().len(), 24);
    }

    #[test]
    fn serde_uses_the_same_text() {
        let moment: Moment = serde_json::from_str("\"2025-07-02T05:30:00Z\"").unwrap();
        assert_eq!(serde_json::to_string(&moment).unwrap(), "\"2025-07-02T05:30:00.000Z\"");
        assert!(serde_json::from_str::<Moment>("\"soon\"").is_err());
    }
}
