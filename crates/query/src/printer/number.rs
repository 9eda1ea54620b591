//! Numbers with seventeen significant digits.
//!
//! Owns the number format of query plans (`%.17g` of C), which always parses back to the same double, and the format of
//! row counts beyond any limit, which is digits only.

/// Prints seventeen significant digits without trailing zeros, with an exponent if it is below -4 or above 16.
pub(super) fn seventeen_digits(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    // Seventeen digits are enough to identify any double. Rounding happens here once; the decimal form below prints the
    // same digits.
    let scientific = format!("{value:.16e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..17).contains(&exponent) {
        let decimals = usize::try_from(16 - exponent).unwrap_or_default();
        return without_trailing_zeros(&format!("{value:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_trailing_zeros(mantissa), exponent.unsigned_abs())
}

/// From here on, every double is a whole number: 2^53.
pub(super) const WHOLE_MIN: f64 = 9_007_199_254_740_992.0;

/// Digits that parse back to the same whole number. Infinity prints as more digits than the largest double has, which
/// parse to infinity again.
pub(super) fn whole_digits(value: f64) -> String {
    if value.is_infinite() { "9".repeat(310) } else { format!("{value:.0}") }
}

fn without_trailing_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::seventeen_digits;

    #[test]
    fn the_form_is_that_of_seventeen_significant_digits() {
        for (value, text) in [
            (0.1, "0.10000000000000001"),
            (0.005_676_387_343_555_689, "0.0056763873435556889"),
            (1.5, "1.5"),
            (-2.25, "-2.25"),
            (1e17, "1e+17"),
            (f64::MAX, "1.7976931348623157e+308"),
            (0.000_1, "0.0001"),
            (0.000_01, "1.0000000000000001e-05"),
            (5e-324, "4.9406564584124654e-324"),
            (1e100, "1e+100"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(seventeen_digits(value), text);
        }
    }
}
