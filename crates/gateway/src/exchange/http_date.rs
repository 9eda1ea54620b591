//! Dates of HTTP: `Mon, 16 Nov 2026 00:01:20 GMT`.
//!
//! Owns printing and reading them; clients send them in any case. Does not own the clock.

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAY_SECONDS: u64 = 24 * 60 * 60;

/// The text of a second since 1970.
pub(crate) fn http_date(seconds: u64) -> String {
    let (days, second) = (seconds / DAY_SECONDS, seconds % DAY_SECONDS);
    let name = DAYS.get(usize::try_from(days % 7).unwrap_or(0)).copied().unwrap_or_default();
    let (year, month, day) = civil(days);
    let month = MONTHS.get(month).copied().unwrap_or_default();
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{name}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
}

/// The second since 1970 of a text.
pub(crate) fn parse_http_date(text: &str) -> Option<u64> {
    let Parts { day, month, year, time } = usual(text.as_bytes()).or_else(|| any(text))?;
    let [hour, minute, second] = time;
    let has_day = (1..=31).contains(&day) && (1970..=9999).contains(&year);
    if !has_day || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let month = MONTHS.iter().position(|known| known.as_bytes().eq_ignore_ascii_case(month))?;
    let days = days_before_year(year) + days_before_month(year, month) + day - 1;
    Some(days * DAY_SECONDS + hour * 3600 + minute * 60 + second)
}

/// What a date is made of, not checked yet.
struct Parts<'a> {
    day: u64,
    month: &'a [u8],
    year: u64,
    time: [u64; 3],
}

/// The parts of a text in just the form that we print, which nearly all clients send, in any case.
fn usual(text: &[u8]) -> Option<Parts<'_>> {
    let (head, zone) = text.split_at_checked(26)?;
    let (day, month, year) = (head.get(5..7)?, head.get(8..11)?, head.get(12..16)?);
    let (hour, minute, second) = (head.get(17..19)?, head.get(20..22)?, head.get(23..25)?);
    let [a, b, c, b',', b' ', _, _, b' ', _, _, _, b' ', _, _, _, _, b' ', rest @ ..] = head else {
        return None;
    };
    let [_, _, b':', _, _, b':', _, _, b' '] = rest else { return None };
    if !is_zone(zone) || ![a, b, c].iter().all(|letter| letter.is_ascii_alphabetic()) {
        return None;
    }
    let time = [digits(hour)?, digits(minute)?, digits(second)?];
    Some(Parts { day: digits(day)?, month, year: digits(year)?, time })
}

/// The parts of a text with any space between its words.
fn any(text: &str) -> Option<Parts<'_>> {
    let mut words = text.split_ascii_whitespace();
    let (_, day, month, year, time, zone) =
        (words.next()?, words.next()?, words.next()?, words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !is_zone(zone.as_bytes()) {
        return None;
    }
    let mut parts = time.split(':').map(str::parse::<u64>);
    let time = [parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?];
    if parts.next().is_some() {
        return None;
    }
    Some(Parts { day: day.parse().ok()?, month: month.as_bytes(), year: year.parse().ok()?, time })
}

/// Whether a zone is the one of HTTP; the Go library writes it as UTC.
fn is_zone(zone: &[u8]) -> bool {
    zone.eq_ignore_ascii_case(b"GMT") || zone.eq_ignore_ascii_case(b"UTC")
}

/// The number of a few digits.
fn digits(text: &[u8]) -> Option<u64> {
    text.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit().then(|| number * 10 + u64::from(byte - b'0'))
    })
}

fn civil(days: u64) -> (u64, usize, u64) {
    let mut year = 1970 + days / 366;
    while days_before_year(year + 1) <= days {
        year += 1;
    }
    let day = days - days_before_year(year);
    let month = (0..12).rev().find(|month| days_before_month(year, *month) <= day).unwrap_or(0);
    (year, month, day - days_before_month(year, month) + 1)
}

fn days_before_year(year: u64) -> u64 {
    let before = year - 1;
    let leap_days = before / 4 - before / 100 + before / 400;
    // 477 leap days lie before 1970.
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
    fn known_seconds_have_their_texts() {
        for (seconds, text) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_791_622_915, "Sat, 10 Oct 2026 09:01:55 GMT"),
        ] {
            assert_eq!(http_date(seconds), text);
            assert_eq!(parse_http_date(text), Some(seconds));
            assert_eq!(parse_http_date(&text.to_lowercase()), Some(seconds));
            assert_eq!(parse_http_date(&text.replace("GMT", "UTC")), Some(seconds));
            assert_eq!(parse_http_date(&text.replace(' ', "  ")), Some(seconds));
            assert_eq!(parse_http_date(&text.replace(", 0", ", ")), Some(seconds));
            assert_eq!(parse_http_date(&format!(" {text}\t")), Some(seconds));
        }
    }

    #[test]
    fn every_day_of_four_centuries_survives() {
        for day in 0..146_097 {
            let second = day * DAY_SECONDS + 86_399;
            assert_eq!(parse_http_date(&http_date(second)), Some(second));
        }
    }

    #[test]
    fn other_texts_are_no_dates() {
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
