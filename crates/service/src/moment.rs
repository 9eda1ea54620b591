//! A moment as documents store it.
//!
//! Owns the one form: UTC, three digits of milliseconds, always 24 characters, because queries compare stored times as
//! texts. Other forms of RFC 3339 are read and written back in it. Owns the limits of what has this form too. Does not
//! own a clock: that comes with the question.

use std::fmt;
use std::time::Duration;

use client::Environment;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment between 1970 and the end of 9999, stored as `2025-07-02T05:30:00.000Z`. The default is the first one.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    /// Milliseconds since 1970, never more than [`LAST_MS`].
    ms: i64,
}

/// 9999-12-30T21:59:59.999Z: every moment up to here has a local time in every zone.
const LAST_MS: i64 = 253_402_207_199_999;

impl Moment {
    /// The moment so many milliseconds after 1970; the last one at most.
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

    /// Reads any RFC 3339 text with an offset.
    ///
    /// # Errors
    /// A sentence that shows the right form: the text names no moment, or one before 1970 or after the last.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is no time; write it like 2025-11-20T08:30:00.000Z");
        let timestamp: jiff::Timestamp = text.parse().map_err(|_| wrong())?;
        let ms = timestamp.as_millisecond();
        if (0..=LAST_MS).contains(&ms) { Ok(Self { ms }) } else { Err(wrong()) }
    }

    /// So much later; the last moment at most.
    #[must_use]
    pub fn after(self, by: Duration) -> Self {
        let by = i64::try_from(by.as_millis()).unwrap_or(LAST_MS);
        Self { ms: self.ms.saturating_add(by).min(LAST_MS) }
    }

    /// So much earlier; the first moment at least.
    #[must_use]
    pub fn before(self, by: Duration) -> Self {
        let by = i64::try_from(by.as_millis()).unwrap_or(LAST_MS);
        Self { ms: self.ms.saturating_sub(by).max(0) }
    }

    /// How long it is from `earlier` to this; zero when that is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.ms.saturating_sub(earlier.ms)).unwrap_or(0))
    }

    /// The same moment for arithmetic with calendars.
    #[must_use]
    pub fn timestamp(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.ms)
            .expect("the milliseconds lie between 1970 and the last moment, which calendars have")
    }
}

/// `YYYY-MM-DDTHH:MM:SS.mmmZ`.
impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.3}", self.timestamp())
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
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(D::Error::custom)
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

    /// What is stored of a text; none when it is refused, with a sentence that shows the right form.
    fn check(text: &str, stored: Option<&str>) {
        let parsed = Moment::parse(text);
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
    fn what_has_no_offset_or_no_place_in_the_form_is_refused() {
        for text in ["2025-11-20T08:30:00", "yesterday", ""] {
            check(text, None);
        }
    }

    #[test]
    fn there_is_a_first_and_a_last_moment() {
        let (first, last) = ("1970-01-01T00:00:00.000Z", "9999-12-30T21:59:59.999Z");
        check(first, Some(first));
        check("1969-12-31T23:59:59.999Z", None);
        check(last, Some(last));
        check("9999-12-30T22:00:00.000Z", None);
        check("9999-12-31T23:59:59Z", None);
        let (least, most) = (Moment::default(), Moment::from_ms(u64::MAX));
        assert_eq!((least.to_string(), most.to_string()), (first.to_owned(), last.to_owned()));
        assert_eq!((least.before(Duration::MAX), least.after(Duration::MAX)), (least, most));
        assert_eq!(
            (most.after(Duration::from_millis(1)), least.since(most)),
            (most, Duration::ZERO)
        );
        assert_eq!(Moment::from_ms(most.ms()), most);
    }

    #[test]
    fn texts_sort_like_moments() {
        let mut moments: Vec<Moment> =
            [0, u64::MAX, 999, 1_763_627_400_000, 1, 1_000].map(Moment::from_ms).into();
        let mut by_text = moments.clone();
        by_text.sort_by_key(ToString::to_string);
        moments.sort();
        assert_eq!(moments, by_text);
    }

    #[test]
    fn serde_uses_the_same_text() {
        let moment: Moment = serde_json::from_str("\"2025-07-02T05:30:00Z\"").unwrap();
        assert_eq!(serde_json::to_string(&moment).unwrap(), "\"2025-07-02T05:30:00.000Z\"");
        assert!(serde_json::from_str::<Moment>("\"soon\"").is_err());
    }
}
