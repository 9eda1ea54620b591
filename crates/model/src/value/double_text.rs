//! The text of a double, as the service prints it.
//!
//! Owns the format. Does not own integers, which print their digits.

/// 2^63, the first double beyond the range of i64. As a bound it must be exclusive above and inclusive below.
const INTEGER_LIMIT: f64 = 9_223_372_036_854_775_808.0;

/// The integer that a double represents exactly, within the 64-bit range.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
pub(super) fn exact_integer(double: f64) -> Option<i64> {
    let fits = double.fract() == 0.0 && (-INTEGER_LIMIT..INTEGER_LIMIT).contains(&double);
    fits.then_some(double as i64)
}

/// Prints a finite double as the service does: whole numbers in the 64-bit range as integers, others with 15
/// significant digits if these parse back to the same double, otherwise with 17.
#[must_use]
pub fn double_text(double: f64) -> String {
    if let Some(integer) = exact_integer(double) {
        return integer.to_string();
    }
    // 17 digits identify every double; 15 are tried first because they print 0.1 as 0.1.
    let short = general_text(double, 15);
    if short.parse() == Ok(double) { short } else { general_text(double, 17) }
}

/// Prints like `%g` of C with at most `digits` significant digits: without trailing zeros; an exponent has a sign and
/// at least two digits.
fn general_text(double: f64, digits: usize) -> String {
    let scientific = format!("{double:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let significant = mantissa.replace('.', "");
    let significant = significant.trim_end_matches('0');
    if exponent < -4 || exponent >= digits as i32 {
        let (first, rest) = significant.split_at(significant.len().min(1));
        let point = if rest.is_empty() { "" } else { "." };
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}{point}{rest}e{exponent_sign}{:02}", exponent.abs());
    }
    if exponent < 0 {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{significant}");
    }
    let whole_digits = exponent as usize + 1;
    if significant.len() <= whole_digits {
        let zeros = "0".repeat(whole_digits - significant.len());
        return format!("{sign}{significant}{zeros}");
    }
    let (whole, fraction) = significant.split_at(whole_digits);
    format!("{sign}{whole}.{fraction}")
}
