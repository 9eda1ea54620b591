//! A point in time: ticks, calendar fields and text.
//!
//! Owns the three forms and the conversions between them. Does not own the parts that functions name: see `part`.

use std::fmt;

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time, date};

/// Ticks of a second: a tick is 100 nanoseconds.
const TICKS_PER_SECOND: i64 = 10_000_000;
/// Ticks of a day.
pub(super) const TICKS_PER_DAY: i64 = 86_400 * TICKS_PER_SECOND;
/// Ticks of a millisecond.
pub(super) const TICKS_PER_MILLISECOND: i64 = 10_000;
/// Nanoseconds of a tick.
const NANOSECONDS_PER_TICK: i32 = 100;

const EPOCH: Date = date(1970, 1, 1);

/// A point in time between the years 1 and 9999, to 100 nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcDateTime {
    ticks: i64,
}

impl UtcDateTime {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self { ticks: 0 };
    /// 1601-01-01T00:00:00Z; ticks and bins before it are undefined.
    pub(super) const EARLIEST: Self = Self { ticks: -134_774 * TICKS_PER_DAY };
    /// 0001-01-01T00:00:00Z.
    const MIN: Self = Self { ticks: -719_162 * TICKS_PER_DAY };
    /// 9999-12-31T23:59:59.9999999Z.
    const MAX: Self = Self { ticks: 2_932_897 * TICKS_PER_DAY - 1 };

    /// The time a number of 100-nanosecond ticks after 1970; `None` outside the years 1 to 9999.
    #[must_use]
    pub fn from_ticks(ticks: i64) -> Option<Self> {
        let date_time = Self { ticks };
        (Self::MIN..=Self::MAX).contains(&date_time).then_some(date_time)
    }

    /// The time a number of milliseconds after 1970; `None` outside the years 1 to 9999.
    #[must_use]
    pub fn from_milliseconds(milliseconds: i64) -> Option<Self> {
        Self::from_ticks(milliseconds.checked_mul(TICKS_PER_MILLISECOND)?)
    }

    /// Ticks since 1970.
    #[must_use]
    pub fn ticks(self) -> i64 {
        self.ticks
    }

    /// Whole milliseconds since 1970.
    #[must_use]
    pub fn milliseconds(self) -> i64 {
        // Rounds down before 1970 too.
        self.ticks.div_euclid(TICKS_PER_MILLISECOND)
    }

    /// Parses `YYYY-MM-DD`, optionally followed by `T` or a space and `hh:mm:ss` with up to seven fraction digits; a
    /// final `Z` is optional.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_suffix('Z').unwrap_or(text);
        let mut fields = FieldReader(text.as_bytes());
        let year = fields.number(4)?;
        let month = fields.after(b"-")?.number(2)?;
        let day = fields.after(b"-")?.number(2)?;
        if fields.0.is_empty() {
            return Self::from_fields([year, month, day, 0, 0, 0, 0]);
        }
        let hour = fields.after(b"T ")?.number(2)?;
        let minute = fields.after(b":")?.number(2)?;
        let second = fields.after(b":")?.number(2)?;
        let fraction = if fields.0.is_empty() { 0 } else { fields.after(b".")?.fraction()? };
        Self::from_fields([year, month, day, hour, minute, second, fraction])
    }

    /// The time with this year, month, day, hour, minute, second and ticks of the second; `None` if there is none.
    pub(super) fn from_fields(fields: [i64; 7]) -> Option<Self> {
        let [year, month, day, hour, minute, second, fraction] = fields;
        let date = Date::new(
            // The calendar library has a year 0 and negative years; the language has not.
            i16::try_from(year).ok().filter(|year| *year >= 1)?,
            i8::try_from(month).ok()?,
            i8::try_from(day).ok()?,
        );
        let nanosecond = i32::try_from(fraction).ok()?.checked_mul(NANOSECONDS_PER_TICK)?;
        let time = Time::new(
            i8::try_from(hour).ok()?,
            i8::try_from(minute).ok()?,
            i8::try_from(second).ok()?,
            nanosecond,
        );
        Self::from_civil(DateTime::from_parts(date.ok()?, time.ok()?))
    }

    /// The time of a calendar date and time.
    pub(super) fn from_civil(civil: DateTime) -> Option<Self> {
        // The calendar has no leap seconds and no time zones: every day has 86,400 seconds.
        let since_epoch = civil.duration_since(EPOCH.to_datetime(Time::midnight()));
        let seconds = since_epoch.as_secs().checked_mul(TICKS_PER_SECOND)?;
        Self::from_ticks(seconds + i64::from(since_epoch.subsec_nanos() / NANOSECONDS_PER_TICK))
    }

    /// The calendar date and time.
    pub(super) fn civil(self) -> DateTime {
        let seconds = self.ticks.div_euclid(TICKS_PER_SECOND);
        // Euclidean, so that the fraction is positive also before 1970. It is below 10^9 and fits.
        let nanoseconds = self.ticks.rem_euclid(TICKS_PER_SECOND) as i32 * NANOSECONDS_PER_TICK;
        EPOCH
            .to_datetime(Time::midnight())
            .checked_add(SignedDuration::new(seconds, nanoseconds))
            .expect("the years 1 to 9999 are inside the calendar")
    }

    /// Ticks since the last whole second.
    pub(super) fn fraction(self) -> i64 {
        self.ticks.rem_euclid(TICKS_PER_SECOND)
    }
}

/// `YYYY-MM-DDThh:mm:ss.fffffffZ`, always with seven fraction digits.
impl fmt::Display for UtcDateTime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = self.civil();
        write!(
            formatter,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:07}Z",
            civil.year(),
            civil.month(),
            civil.day(),
            civil.hour(),
            civil.minute(),
            civil.second(),
            self.fraction()
        )
    }
}

/// Reads a text of digits and separators; holds the unread rest.
struct FieldReader<'text>(&'text [u8]);

impl FieldReader<'_> {
    /// Reads one of these separators.
    fn after(&mut self, separators: &[u8]) -> Option<&mut Self> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        separators.contains(first).then_some(self)
    }

    /// Reads a number of exactly this many digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        number.iter().try_fold(0, |number, byte| {
            byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0'))
        })
    }

    /// Reads the remaining one to seven digits as ticks of a second.
    fn fraction(&mut self) -> Option<i64> {
        let digits = self.0.len();
        // No digit after the point is refused, and so are more than seven.
        let missing = 7_usize.checked_sub(digits).filter(|missing| *missing < 7)?;
        Some(self.number(digits)? * 10_i64.pow(missing as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_ticks_agree() {
        let cases = [
            ("1970-01-01", 0),
            ("2015-05-19T12:00:00.0000000Z", 14_320_368_000_000_000),
            ("2020-08-13T23:19:54.3002652Z", 15_973_607_943_002_652),
            ("1601-01-01T00:00:00.0000000Z", UtcDateTime::EARLIEST.ticks()),
            ("0001-01-01", UtcDateTime::MIN.ticks()),
            ("9999-12-31T23:59:59.9999999Z", UtcDateTime::MAX.ticks()),
            ("1969-12-31 23:59:59.9999999", -1),
        ];
        for (text, ticks) in cases {
            assert_eq!(UtcDateTime::parse(text).map(UtcDateTime::ticks), Some(ticks), "{text}");
            let printed = UtcDateTime::from_ticks(ticks).unwrap().to_string();
            assert_eq!(
                UtcDateTime::parse(&printed).map(UtcDateTime::ticks),
                Some(ticks),
                "{printed}"
            );
        }
        assert_eq!(UtcDateTime::from_ticks(UtcDateTime::MAX.ticks() + 1), None);
        assert_eq!(UtcDateTime::from_ticks(i64::MIN), None);
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in [
            "",
            "2020",
            "2020-1-1",
            "2020-01-32",
            "2021-02-29",
            "2020-01-01T",
            "2020-01-01T10Z",
            "2020-01-01T10:00Z",
            "2020-01-01T10:00:00.",
            "2020-01-01T10:00:00.12345678Z",
            "2020-01-01T24:00:00",
            "2020-01-01T10:00:00+01:00",
            "0000-01-01",
            "２020-01-01",
        ] {
            assert_eq!(UtcDateTime::parse(text), None, "{text}");
        }
    }
}
