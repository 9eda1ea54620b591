//! DATETIMEFORMAT: a date and time in a custom format.
//!
//! Owns the format specifiers, which are those of .NET custom formats, in English. A character that is not a specifier
//! is copied, and so is anything after a backslash or between quotes.

use super::utc_date_time::UtcDateTime;
use crate::budget::EvaluationBudget;
use crate::function::argument;
use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// The most bytes of the result for each byte of the format: `zzz` is written as `+00:00`, `MMMM` as `September`.
const GROWTH_MAX: usize = 3;

pub(in crate::function) const FUNCTIONS: &[Function] = &[Function::scalar(
    FunctionFamily::DateTime,
    "DATETIMEFORMAT",
    |arguments, context| {
        let date_time = argument::text(arguments, 0).and_then(UtcDateTime::parse);
        let texts = date_time.zip(argument::text(arguments, 1));
        texts
            .and_then(|(date_time, specifiers)| {
                context.budget.hold(specifiers.len().saturating_mul(GROWTH_MAX))?;
                format(date_time, specifiers, context.budget)
            })
            .into()
    },
)
.required(&["date_time", "format"])
.returns(
    ReturnKind::String,
    "A date and time written by specifiers such as `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss`, `fff`, \
         `tt`, `dddd` and `MMMM`.",
)
.examples(&[
    example("\"2024-10-10 14:40:20\", \"yyyyMMdd\"", "\"20241010\""),
    example("\"2024-10-10 14:40:20\", \"yyyy-MM-dd [HH:mm:ss]\"", "\"2024-10-10 [14:40:20]\""),
    example(
        r#""2024-10-10 14:40:20", "To\\da\\y i\\s: yyyy-MM-ddTHH:mm:ss.fff""#,
        "\"Today is: 2024-10-10T14:40:20.000\"",
    ),
    example(
        r#""2024-10-10 14:40:20", "To\\da\\y i\\s: yyyy-MM-ddTHH:mm:ss.FFF""#,
        "\"Today is: 2024-10-10T14:40:20.\"",
    ),
    example("\"2024-10-10 14:40:20\", \"ddd dddd MMM MMMM\"", "\"Thu Thursday Oct October\""),
    example("\"2024-10-10 14:40:20\", \"h:m tt, d/M/yy\"", "\"2:40 PM, 10/10/24\""),
    example("\"2024-10-10 14:40:20\", 1", "undefined"),
])];

/// The text of a format, within the budget. Every letter may be a specifier, whose text is made by itself.
fn format(date_time: UtcDateTime, specifiers: &str, budget: &EvaluationBudget) -> Option<String> {
    let mut text = String::new();
    let mut rest = specifiers;
    while let Some(first) = rest.chars().next() {
        budget.work(1)?;
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        match first {
            '\\' => {
                let escaped = after.chars().next();
                text.extend(escaped);
                rest = after.get(escaped.map_or(0, char::len_utf8)..).unwrap_or_default();
            }
            '\'' | '"' => {
                // A quote that is not closed extends to the end of the format.
                let (quoted, beyond) = after.split_once(first).unwrap_or((after, ""));
                text.push_str(quoted);
                rest = beyond;
            }
            // In .NET it marks a single specifier as custom; here all are.
            '%' => rest = after,
            _ => {
                let run = rest.chars().take_while(|character| *character == first).count();
                match specified(date_time, first, run) {
                    Some(specified) => text.push_str(&specified),
                    None => text.extend(std::iter::repeat_n(first, run)),
                }
                rest = rest.get(run * first.len_utf8()..).unwrap_or_default();
            }
        }
    }
    Some(text)
}

/// The text for a repeated specifier; `None` if the character is not a specifier.
fn specified(date_time: UtcDateTime, specifier: char, run: usize) -> Option<String> {
    let civil = date_time.civil();
    let padded = |number: i8| match run {
        1 => number.to_string(),
        _ => format!("{number:02}"),
    };
    let named = |name: &str| match run {
        3 => name.chars().take(3).collect(),
        _ => name.to_owned(),
    };
    let month_name = MONTHS.get(usize::try_from(civil.month()).ok()?.checked_sub(1)?)?;
    let weekday = usize::try_from(civil.weekday().to_monday_zero_offset()).ok()?;
    let twelve = |hour: i8| if hour % 12 == 0 { 12 } else { hour % 12 };
    Some(match specifier {
        'y' => match run {
            1 => (civil.year() % 100).to_string(),
            2 => format!("{:02}", civil.year() % 100),
            // Not the width of `format!`: the text of the caller may be longer than the greatest width, which panics.
            _ => {
                let year = civil.year().to_string();
                "0".repeat(run.saturating_sub(year.len())) + &year
            }
        },
        'M' if run <= 2 => padded(civil.month()),
        'M' => named(month_name),
        'd' if run <= 2 => padded(civil.day()),
        'd' => named(WEEKDAYS.get(weekday)?),
        'H' => padded(civil.hour()),
        'h' => padded(twelve(civil.hour())),
        'm' => padded(civil.minute()),
        's' => padded(civil.second()),
        'f' => fraction(date_time, run),
        'F' => fraction(date_time, run).trim_end_matches('0').to_owned(),
        't' => {
            let half = if civil.hour() < 12 { "AM" } else { "PM" };
            half.chars().take(run).collect()
        }
        'z' if run <= 2 => format!("+{}", padded(0)),
        'z' => "+00:00".to_owned(),
        'K' => "Z".repeat(run),
        _ => return None,
    })
}

/// The first digits of the fraction, which has seven.
fn fraction(date_time: UtcDateTime, digits: usize) -> String {
    format!("{:07}", date_time.fraction()).chars().take(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::format;
    use crate::budget::EvaluationBudget;
    use crate::function::date_time::utc_date_time::UtcDateTime;

    #[test]
    fn a_year_may_be_wider_than_a_format_of_the_standard_library() {
        let budget = EvaluationBudget::unlimited();
        let text = format(UtcDateTime::EPOCH, &"y".repeat(70_000), &budget).unwrap();
        assert_eq!(text.len(), 70_000);
        assert!(text.ends_with("01970"));
    }
}
