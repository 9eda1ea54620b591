//! Dates of HTTP: `Mon, 16 Nov 2026 00:01:20 GMT`.
//!
//! Owns which forms are accepted. Clients sign their dates, so a form that any client sends must be accepted: any case,
//! any spacing, a day of one digit, the zone UTC (the Go library writes it), and a wrong day of the week. Does not own
//! the clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAY_SECONDS: u64 = 24 * 60 * 60;
/// The last second of the year 9999: `httpdate` panics beyond it, and a test may move the clock that far.
const SECONDS_MAX: u64 = 253_402_300_799;
/// Length of the form that we print.
const FIXED_FORM_CHARS: usize = 29;

/// Formats seconds since 1970.
pub(crate) fn format_http_date(seconds: u64) -> String {
    let since_epoch = Duration::from_secs(seconds.min(SECONDS_MAX));
    httpdate::fmt_http_date(UNIX_EPOCH + since_epoch)
}

/// Formats milliseconds since 1970 as `2026-11-16T00:01:20.000Z`.
#[must_use]
pub fn format_rfc3339(milliseconds: u64) -> String {
    // The parts have fixed places in the form of HTTP.
    let date = format_http_date(milliseconds / 1000);
    let part = |range: std::ops::Range<usize>| date.get(range).unwrap_or_default();
    let month = MONTHS.iter().position(|month| *month == part(8..11)).unwrap_or_default() + 1;
    let (year, day, time) = (part(12..16), part(5..7), part(17..25));
    format!("{year}-{month:02}-{day}T{time}.{:03}Z", milliseconds % 1000)
}

/// Parses `2026-11-16T00:01:20Z`, with or without a fraction of a second, to seconds since 1970.
#[must_use]
pub fn parse_rfc3339(text: &str) -> Option<u64> {
    let (date, time) = text.strip_suffix(['Z', 'z'])?.split_once(['T', 't', ' '])?;
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let month = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    let time = time.split('.').next()?;
    let is_whole = parts.next().is_none() && year.len() == 4;
    // The day of the week is not compared.
    is_whole.then(|| parse_lenient(&format!("Mon, {day} {month} {year} {time} GMT"))).flatten()
}

/// Parses a date to seconds since 1970.
pub(crate) fn parse_http_date(text: &str) -> Option<u64> {
    parse_fixed_form(text).or_else(|| parse_lenient(text))
}

/// Parses the fixed form, which nearly all clients send.
fn parse_fixed_form(text: &str) -> Option<u64> {
    // `httpdate` also accepts two obsolete forms, which the service refuses. Both have other lengths.
    let date =
        if text.len() == FIXED_FORM_CHARS { httpdate::parse_http_date(text) } else { return None };
    date.ok().and_then(seconds_since_epoch)
}

fn seconds_since_epoch(date: SystemTime) -> Option<u64> {
    date.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

/// Parses the words of a date with any whitespace between them.
fn parse_lenient(text: &str) -> Option<u64> {
    let mut words = text.split_ascii_whitespace();
    let (_, day, month, year, time, zone) =
        (words.next()?, words.next()?, words.next()?, words.next()?, words.next()?, words.next()?);
    let is_zone = zone.eq_ignore_ascii_case("GMT") || zone.eq_ignore_ascii_case("UTC");
    // The day of the week is not compared: some clients compute it wrongly, and it is redundant.
    if words.next().is_some() || !is_zone {
        return None;
    }
    let mut parts = time.split(':').map(str::parse::<u64>);
    let (hour, minute, second) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    let (day, year): (u64, u64) = (day.parse().ok()?, year.parse().ok()?);
    let is_day = (1..=31).contains(&day) && (1970..=9999).contains(&year);
    // A leap second is a valid time.
    if parts.next().is_some() || !is_day || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let month = MONTHS.iter().position(|known| known.eq_ignore_ascii_case(month))?;
    let days = days_before_year(year) + days_before_month(year, month) + day - 1;
    Some(days * DAY_SECONDS + hour * 3600 + minute * 60 + second)
}

fn days_before_year(year: u64) -> u64 {
    let before = year - 1;
    let leap_days = before / 4 - before / 100 + before / 400;
    // There are 477 leap days before 1970.
    (year - 1970) * 365 + leap_days - 477
}

fn days_before_month(year: u64, month: usize) -> u64 {
    const BEFORE: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    BEFORE.get(month).copied().unwrap_or_default() + u64::from(is_leap && month > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_dates_are_formatted_and_parsed() {
        for (seconds, text) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_791_622_915, "Sat, 10 Oct 2026 09:01:55 GMT"),
        ] {
            assert_eq!(format_http_date(seconds), text);
            assert_eq!(parse_http_date(text), Some(seconds));
            assert_eq!(parse_http_date(&text.to_lowercase()), Some(seconds));
            assert_eq!(parse_http_date(&text.replace("GMT", "UTC")), Some(seconds));
            assert_eq!(parse_http_date(&text.replace(' ', "  ")), Some(seconds));
            assert_eq!(parse_http_date(&text.replace(", 0", ", ")), Some(seconds));
            assert_eq!(parse_http_date(&format!(" {text}\t")), Some(seconds));
            assert_eq!(parse_http_date(&format!("Wed{}", &text[3..])), Some(seconds));
        }
        assert_eq!(parse_http_date("Sun, 31 Dec 1995 23:59:60 GMT"), Some(820_454_400));
        assert_eq!(format_http_date(u64::MAX), "Fri, 31 Dec 9999 23:59:59 GMT");
        assert_eq!(format_rfc3339(1_791_622_915_042), "2026-10-10T09:01:55.042Z");
        for text in ["2026-10-10T09:01:55Z", "2026-10-10 09:01:55.042Z"] {
            assert_eq!(parse_rfc3339(text), Some(1_791_622_915), "{text}");
        }
        for text in ["2026-10-10T09:01:55", "2026-13-10T09:01:55Z", "2026-10-10Z", "x"] {
            assert_eq!(parse_rfc3339(text), None, "{text}");
        }
    }

    #[test]
    fn both_parsers_agree_on_every_day_of_four_centuries() {
        for day in 0..146_097 {
            let second = day * DAY_SECONDS + 86_399;
            let text = format_http_date(second);
            assert_eq!(parse_fixed_form(&text), Some(second));
            assert_eq!(parse_lenient(&text), Some(second));
        }
    }

    #[test]
    fn obsolete_forms_are_refused() {
        for text in ["Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(parse_http_date(text), None, "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "now", "Thu, 32 Jan 1970 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 CET"] {
            assert_eq!(parse_http_date(text), None, "{text}");
        }
        for (part, wrong) in [
            ("01", "00"),
            ("01", "0x"),
            ("Jan", "Jax"),
            ("1970", "1969"),
            ("1970", "19 0"),
            ("00:00:00", "24:00:00"),
            ("00:00:00", "00:60:00"),
            ("00:00:00", "00:00:61"),
            ("00:00:00", "00.00:00"),
            ("00:00:00", "00:00:0:"),
            ("Thu,", "T u,"),
            (" GMT", ""),
            (" GMT", "GMT"),
            ("GMT", "GMT GMT"),
        ] {
            let text = "Thu, 01 Jan 1970 00:00:00 GMT".replacen(part, wrong, 1);
            assert_eq!(parse_http_date(&text), None, "{text}");
        }
    }
}
