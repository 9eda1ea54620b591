//! Numbers of printed queries.
//!
//! Owns the number format of query plans: fifteen significant digits if they parse back to the same double, otherwise
//! seventeen, which always do. Also owns the format of row counts beyond any limit, which is digits only.

/// Prints fifteen or seventeen significant digits without trailing zeros, with an exponent if it is below -4 or above
/// 16.
pub(super) fn significant_digits(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let fifteen = format!("{value:.14e}");
    // Rounding happens here once; the decimal form below prints the same digits.
    let (scientific, digits) = match fifteen.parse() == Ok(value) {
        true => (fifteen, 15),
        false => (format!("{value:.16e}"), 17),
    };
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..17).contains(&exponent) {
        // Negative for large whole numbers, which have no decimals.
        let decimals = usize::try_from(digits - 1 - exponent).unwrap_or_default();
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
    use super::significant_digits;

    #[test]
    fn fifteen_digits_are_printed_if_they_identify_the_number() {
        for (value, text) in [
            (0.1, "0.1"),
            (0.3, "0.3"),
            (1.5, "1.5"),
            (-2.25, "-2.25"),
            (1e17, "1e+17"),
            (0.000_1, "0.0001"),
            (0.000_01, "1e-05"),
            (5e-324, "4.94065645841247e-324"),
            (1e100, "1e+100"),
            (1.797_69e308, "1.79769e+308"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(significant_digits(value), text);
        }
    }

    #[test]
    fn other_numbers_have_seventeen() {
        for (value, text) in [
            (0.005_676_387_343_555_689, "0.0056763873435556889"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1.0 / 3.0, "0.33333333333333331"),
            (f64::MAX, "1.7976931348623157e+308"),
            (1_234_567_890_123_456.8, "1234567890123456.8"),
        ] {
            assert_eq!(significant_digits(value), text);
        }
    }
}
