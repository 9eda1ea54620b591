//! Integers and doubles as one number type.
//!
//! Owns the exact comparison of integers with doubles. Does not own arithmetic, nor the text of a double (`model`).

use std::cmp::Ordering;

/// 2^63, the first double beyond the range of i64. As a bound it must be exclusive above and inclusive below.
const INTEGER_LIMIT: f64 = 9_223_372_036_854_775_808.0;

/// The integer that equals a double exactly, if it is in the 64-bit range.
pub(super) fn exact_integer(double: f64) -> Option<i64> {
    let fits = double.fract() == 0.0 && (-INTEGER_LIMIT..INTEGER_LIMIT).contains(&double);
    fits.then_some(double as i64)
}

/// The exact order of an integer and a double; `None` for NaN. Converting the integer to a double would round it above
/// 2^53.
pub(super) fn compare_mixed(integer: i64, double: f64) -> Option<Ordering> {
    if double.is_nan() {
        return None;
    }
    if double >= INTEGER_LIMIT {
        return Some(Ordering::Less);
    }
    if double < -INTEGER_LIMIT {
        return Some(Ordering::Greater);
    }
    // Both bounds are checked, so the cast below is exact.
    let whole = double.trunc();
    let fraction = double - whole;
    Some(integer.cmp(&(whole as i64)).then_with(|| {
        // The integer parts are equal, so the sign of the fraction decides.
        0.0_f64.partial_cmp(&fraction).unwrap_or(Ordering::Equal)
    }))
}

#[cfg(test)]
mod tests {
    use model::double_text;

    use proptest::prelude::*;

    #[test]
    fn doubles_print_as_recorded() {
        let cases = [
            (0.1, "0.1"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1.0 / 3.0, "0.33333333333333331"),
            (5e-324, "4.94065645841247e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (18_446_744_073_709_551_615.0, "1.8446744073709552e+19"),
            (1.0, "1"),
            (1e2, "100"),
            (-0.0, "0"),
            (1e18, "1000000000000000000"),
            (-2.5, "-2.5"),
            (123_456.75, "123456.75"),
            (0.0001, "0.0001"),
            (1e19, "1e+19"),
        ];
        for (double, text) in cases {
            assert_eq!(double_text(double), text);
        }
    }

    #[test]
    fn small_exponents_have_two_digits_unverified() {
        assert_eq!(double_text(0.000_01), "1e-05");
        assert_eq!(double_text(-1.5e-7), "-1.5e-07");
    }

    proptest! {
        #[test]
        fn the_text_reads_back_as_the_same_double(double in any::<f64>()) {
            prop_assume!(double.is_finite());
            prop_assert_eq!(double_text(double).parse::<f64>(), Ok(double));
        }

        #[test]
        fn the_text_is_json(double in any::<f64>()) {
            prop_assume!(double.is_finite());
            prop_assert!(model::Number::parse(&double_text(double)).is_some());
        }
    }
}
