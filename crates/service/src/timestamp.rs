//! A point in time as documents store it.
//!
//! Owns the one text form: UTC, milliseconds with three digits, always 24 characters. Queries compare stored times as
//! text, so texts must sort like times: one offset and one length. Other forms of RFC 3339 are parsed and stored in
//! this one. Does not own a clock: the caller passes its environment.

use std::fmt;
use std::time::Duration;

use client::Environment;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time between 1970 and the end of 9999, stored as `2025-07-02T05:30:00.000Z`. The default is the earliest.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcTimestamp {
    /// Milliseconds since 1970, never more than [`LAST_MS`].
    ms: i64,
}

/// 9999-12-30T21:59:59.999Z. Up to here there is a local time in every zone; the calendar ends with the year 9999.
const LAST_MS: i64 = 253_402_207_199_999;

impl UtcTimestamp {
    /// From milliseconds since 1970; clamped to the latest.
    #[must_use]
    pub fn from_ms(ms: u64) -> Self {
        Self { ms: i64::try_from(ms).unwrap_or(LAST_MS).min(LAST_MS) }
    }

    /// The time now, by the clock of the environment.
    #[must_use]
    pub fn now(environment: &Environment) -> Self {
        Self::from_ms(environment.now().0)
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub fn ms(self) -> u64 {
        u64::try_from(self.ms).unwrap_or(0)
    }

    /// Parses any RFC 3339 text with an offset.
    ///
    /// # Errors
    /// A sentence that shows the right form: the text is not a time, or is out of range.
    pub fn parse(text: &str) -> Result<Self, String> {
        let invalid = || format!("'{text}' is no time; write it like 2025-11-20T08:30:00.000Z");
        let timestamp: jiff::Timestamp = text.parse().map_err(|_| invalid())?;
        let ms = timestamp.as_millisecond();
        if (0..=LAST_MS).contains(&ms) { Ok(Self { ms }) } else { Err(invalid()) }
    }

    /// The time `by` later; clamped to the latest.
    #[must_use]
    pub fn after(self, by: Duration) -> Self {
        let by = i64::try_from(by.as_millis()).unwrap_or(LAST_MS);
        Self { ms: self.ms.saturating_add(by).min(LAST_MS) }
    }

    /// The time `by` earlier; clamped to the earliest.
    #[must_use]
    pub fn before(self, by: Duration) -> Self {
        let by = i64::try_from(by.as_millis()).unwrap_or(LAST_MS);
        Self { ms: self.ms.saturating_sub(by).max(0) }
    }

    /// The time from `earlier` to this; zero if `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.ms.saturating_sub(earlier.ms)).unwrap_or(0))
    }

    /// The same time for calendar arithmetic.
    #[must_use]
    pub fn to_jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.ms)
            .expect("the milliseconds lie between 1970 and LAST_MS, which the calendar covers")
    }
}

/// `YYYY-MM-DDTHH:MM:SS.mmmZ`.
impl fmt::Display for UtcTimestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.3}", self.to_jiff())
    }
}

impl fmt::Debug for UtcTimestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Serialize for UtcTimestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for UtcTimestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(D::Error::custom)
    }
}

impl From<UtcTimestamp> for client::Json {
    fn from(timestamp: UtcTimestamp) -> Self {
        timestamp.to_string().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is stored of a text; none when it is refused, with a sentence that shows the right form.
    fn check(text: &str, stored: Option<&str>) {
        let parsed = UtcTimestamp::parse(text);
        if let Err(why) = &parsed {
            assert!(why.contains(text) && why.contains("2025-11-20T08:30:00.000Z"), "{why}");
        }
        assert_eq!(parsed.ok().map(|moment| moment.to_string()).as_deref(), stored, "{text}");
    }

    #[test]
    fn every_form_is_stored_in_one_of_24_characters() {
        check("2025-07-02T05:30:00.000Z", Some("2025-07-02T05:30:00.000Z"));
        check("2025-07-02T05:30:00Z", Some("2025-07-02T05:30:00.000Z"));
        check("2025-07-02T05:30:00.5Z", Some("2025-07-02T05:30:00.500Z"));
        check("2025-07-02T05:30:00.123456789Z", Some("2025-07-02T05:30:00.123Z"));
        check("2025-07-02T07:30:00.123456+02:00", Some("2025-07-02T05:30:00.123Z"));
    }

    #[test]
    fn a_text_without_an_offset_or_out_of_range_is_rejected() {
        for text in ["2025-11-20T08:30:00", "yesterday", ""] {
            check(text, None);
        }
    }

    #[test]
    fn there_is_an_earliest_and_a_latest_timestamp() {
        let (first, last) = ("1970-01-01T00:00:00.000Z", "9999-12-30T21:59:59.999Z");
        check(first, Some(first));
        check("1969-12-31T23:59:59.999Z", None);
        check(last, Some(last));
        check("9999-12-30T22:00:00.000Z", None);
        check("9999-12-31T23:59:59Z", None);
        let (least, most) = (UtcTimestamp::default(), UtcTimestamp::from_ms(u64::MAX));
        assert_eq!((least.to_string(), most.to_string()), (first.to_owned(), last.to_owned()));
        assert_eq!((least.before(Duration::MAX), least.after(Duration::MAX)), (least, most));
        assert_eq!(
            (most.after(Duration::from_millis(1)), least.since(most)),
            (most, Duration::ZERO)
        );
        assert_eq!(UtcTimestamp::from_ms(most.ms()), most);
    }

    #[test]
    fn texts_sort_like_times() {
        let mut moments: Vec<UtcTimestamp> =
            [0, u64::MAX, 999, 1_763_627_400_000, 1, 1_000].map(UtcTimestamp::from_ms).into();
        let mut by_text = moments.clone();
        by_text.sort_by_key(ToString::to_string);
        moments.sort();
        assert_eq!(moments, by_text);
    }

    #[test]
    fn serde_uses_the_same_text() {
        let moment: UtcTimestamp = serde_json::from_str("\"2025-07-02T05:30:00Z\"").unwrap();
        assert_eq!(serde_json::to_string(&moment).unwrap(), "\"2025-07-02T05:30:00.000Z\"");
        assert!(serde_json::from_str::<UtcTimestamp>("\"soon\"").is_err());
    }
}
