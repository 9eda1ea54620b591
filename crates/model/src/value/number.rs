//! JSON numbers that keep the digits the client sent.
//!
//! 64-bit integers stay integers; any other number keeps its text next to its double. Does not own arithmetic beyond
//! the increment of a patch.

use std::cmp::Ordering;

use super::double_text::{double_text, exact_integer};

/// A JSON number. Equality is numeric: `1` equals `1.0`.
#[derive(Clone, Debug)]
pub struct Number(Repr);

#[derive(Clone, Debug)]
enum Repr {
    /// An integer in the 64-bit range, written without fraction or exponent.
    Integer(i64),
    /// Any other number: its double and its original text.
    // The text is kept because a double has many spellings: clients expect `2.50` and long decimals back unchanged.
    Decimal { value: f64, text: Box<str> },
}

impl Number {
    /// Parses a JSON number; `None` when the text is not one or is outside the range of a double.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        is_json_number(text).then(|| Self::from_checked_text(text))?
    }

    /// Parses a text that is known to follow the grammar; `None` when it is outside the range of a double.
    pub(super) fn from_checked_text(text: &str) -> Option<Self> {
        if let Some(integer) = parse_integer(text) {
            return Some(Self(Repr::Integer(integer)));
        }
        let value: f64 = text.parse().ok()?;
        // Rust parses `1e999` to infinity instead of failing.
        value.is_finite().then(|| Self(Repr::Decimal { value, text: text.into() }))
    }

    /// Converts a double; `None` for NaN and infinities, which JSON cannot represent.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        if let Some(integer) = exact_integer(value) {
            return Some(Self(Repr::Integer(integer)));
        }
        Some(Self(Repr::Decimal { value, text: double_text(value).into() }))
    }

    /// The number as the service returns it: whole numbers without fraction, zero without sign, other doubles with 15
    /// or 17 digits. `None` if it already has this form.
    #[must_use]
    pub fn to_service_form(&self) -> Option<Self> {
        let Repr::Decimal { value, text } = &self.0 else { return None };
        if is_service_form(text) {
            return None;
        }
        let printed = double_text(*value);
        (printed != **text).then(|| match exact_integer(*value) {
            Some(integer) => Self(Repr::Integer(integer)),
            None => Self(Repr::Decimal { value: *value, text: printed.into() }),
        })
    }

    /// The nearest double.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "the nearest double is what is asked for")]
    pub fn as_f64(&self) -> f64 {
        match &self.0 {
            Repr::Integer(integer) => *integer as f64,
            Repr::Decimal { value, .. } => *value,
        }
    }

    /// The value as an integer, if it is one in the 64-bit range.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Integer(integer) => Some(*integer),
            Repr::Decimal { value, .. } => exact_integer(*value),
        }
    }

    /// The text to print: the digits that were sent.
    #[must_use]
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        match &self.0 {
            Repr::Integer(integer) => integer.to_string().into(),
            Repr::Decimal { text, .. } => text.as_ref().into(),
        }
    }

    /// The text as sent; `None` for a 64-bit integer, whose text follows from its value.
    pub(super) fn decimal_text(&self) -> Option<&str> {
        match &self.0 {
            Repr::Integer(_) => None,
            Repr::Decimal { text, .. } => Some(text),
        }
    }

    /// Appends the text to print, without an allocation.
    pub(super) fn print_to(&self, text: &mut Vec<u8>) {
        match &self.0 {
            Repr::Integer(integer) => {
                text.extend_from_slice(itoa::Buffer::new().format(*integer).as_bytes());
            }
            Repr::Decimal { text: sent, .. } => text.extend_from_slice(sent.as_bytes()),
        }
    }

    /// Bytes of the text to print.
    pub(super) fn printed_bytes(&self) -> usize {
        match &self.0 {
            Repr::Integer(integer) => itoa::Buffer::new().format(*integer).len(),
            Repr::Decimal { text, .. } => text.len(),
        }
    }

    /// The sum: exact for two integers whose sum fits in 64 bits, otherwise computed on doubles. `None` when it is not
    /// finite.
    #[must_use]
    pub fn add(&self, other: &Self) -> Option<Self> {
        if let (Some(left), Some(right)) = (self.as_i64(), other.as_i64())
            // On overflow the sum of the doubles is used, which is rounded but finite.
            && let Some(sum) = left.checked_add(right)
        {
            return Some(Self(Repr::Integer(sum)));
        }
        Self::from_f64(self.as_f64() + other.as_f64())
    }

    /// Numeric order, exact between integers and doubles.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Integer(left), Repr::Integer(right)) => left.cmp(right),
            (Repr::Decimal { value: left, .. }, Repr::Decimal { value: right, .. }) => {
                // Both are finite; -0.0 and 0.0 are equal.
                left.partial_cmp(right).unwrap_or(Ordering::Equal)
            }
            (Repr::Integer(left), Repr::Decimal { value: right, .. }) => {
                compare_integer(*left, *right)
            }
            (Repr::Decimal { value: left, .. }, Repr::Integer(right)) => {
                compare_integer(*right, *left).reverse()
            }
        }
    }
}

/// Whether a text follows the grammar of RFC 8259. Rust's own parsers also accept `+1`, `007`, `.5` and `inf`.
fn is_json_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let is_digits =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole)
        // JSON has no octal numbers and refuses `007`.
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(is_digits)
        && exponent
            .is_none_or(|digits| is_digits(digits.strip_prefix(['+', '-']).unwrap_or(digits)))
}

/// Parses an integer without fraction or exponent. `-0` is treated as a double, so that its text is kept.
fn parse_integer(text: &str) -> Option<i64> {
    if text == "-0" || text.contains(['.', 'e', 'E', '+']) {
        return None;
    }
    text.parse().ok()
}

/// Whether a text surely is what [`double_text`] prints. Printing costs more than all else in a vector of floats, so
/// the common form is recognized by its bytes: a fraction that does not end in zero, no exponent, and at most 15
/// digits, which always parse back to themselves. At least one digit before the point is not zero, or no zero follows
/// it, so that the service would not print an exponent.
fn is_service_form(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let Some((whole, fraction)) = unsigned.split_once('.') else { return false };
    let is_large_enough = whole != "0" || !fraction.starts_with('0');
    let is_plain = !fraction.ends_with('0') && fraction.bytes().all(|byte| byte.is_ascii_digit());
    is_large_enough && is_plain && whole.len() + fraction.len() <= 15
}

/// Compares exactly. Converting the integer to a double would lose the low bits of a large one.
#[expect(clippy::cast_possible_truncation, reason = "an i128 holds every double compared here")]
fn compare_integer(integer: i64, double: f64) -> Ordering {
    // Above every `i64`, and far below the range of an `i128`, so the cast below is exact.
    const BEYOND: f64 = 1e20;
    if double >= BEYOND {
        return Ordering::Less;
    }
    if double <= -BEYOND {
        return Ordering::Greater;
    }
    let floor = double.floor();
    match i128::from(integer).cmp(&(floor as i128)) {
        // The integer equals the floor, and the double has a fraction on top of it.
        Ordering::Equal if double > floor => Ordering::Less,
        order => order,
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.compare(other) == Ordering::Equal
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(Repr::Integer(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_texts_of_the_json_grammar_are_numbers() {
        for text in ["0", "-0", "10", "1.5", "1e2", "1E+2", "-1.5e-2", "9223372036854775808"] {
            assert_eq!(Number::parse(text).unwrap().text(), text);
        }
        for text in
            ["", "-", "+1", "007", "-01", ".5", "5.", "1e", "1e+", "inf", "NaN", "1e400", " 1"]
        {
            assert!(Number::parse(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn the_service_form_is_the_text_of_the_double() {
        for (sent, returned) in [
            ("1.0", "1"),
            ("-0.0", "0"),
            ("-0", "0"),
            ("1e-400", "0"),
            ("1e2", "100"),
            ("1.50", "1.5"),
            ("0.1", "0.1"),
            ("0.00001", "1e-05"),
            ("0.33333333333333333333", "0.33333333333333331"),
            ("123456789.123456789", "123456789.12345679"),
            ("9223372036854775807", "9223372036854775807"),
            ("18446744073709551615", "1.8446744073709552e+19"),
        ] {
            let number = Number::parse(sent).unwrap();
            let form = number.to_service_form().unwrap_or_else(|| number.clone());
            assert_eq!(form.text(), returned, "{sent}");
            assert!(form.to_service_form().is_none(), "{sent}");
        }
    }

    #[test]
    fn large_integers_stay_distinct() {
        let [below, at] =
            ["9007199254740992", "9007199254740993"].map(|text| Number::parse(text).unwrap());
        assert_eq!(below.compare(&at), Ordering::Less);
        assert_eq!(Number::parse("9007199254740992.0").unwrap(), below);
        assert_eq!(at.add(&Number::from(1)).unwrap().text(), "9007199254740994");
    }

    /// A finite double as an exact ratio: numerator and power of two of the denominator.
    fn compare_exactly(integer: i64, double: f64) -> Ordering {
        // Doubles of the strategy are multiples of 1/1024 below 2^63, so scaling stays exact in an i128.
        (i128::from(integer) * 1024).cmp(&((double * 1024.0) as i128))
    }

    proptest! {
        #[test]
        fn integers_compare_as_integers(left: i64, right: i64) {
            prop_assert_eq!(Number::from(left).compare(&Number::from(right)), left.cmp(&right));
        }

        #[test]
        fn integers_and_doubles_compare_as_ratios(integer: i64, scaled: i64, shift in 0u32..63) {
            let double = (scaled >> shift) as f64 / 1024.0;
            let near = (integer as f64).clamp(-9.2e18, 9.2e18);
            for double in [double, near] {
                let number = Number::parse(&format!("{double:?}")).unwrap();
                let expected = compare_exactly(integer, double);
                prop_assert_eq!(Number::from(integer).compare(&number), expected);
                prop_assert_eq!(number.compare(&Number::from(integer)), expected.reverse());
            }
        }

        #[test]
        fn recognized_forms_are_what_would_be_printed(
            whole in 0u64..1_000_000, digits in 1u64..999_999_999,
        ) {
            let text = format!("{whole}.{digits}");
            if is_service_form(&text) {
                prop_assert_eq!(double_text(text.parse().unwrap()), text);
            }
        }

        #[test]
        fn a_double_survives_its_text(
            value in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL,
        ) {
            let number = Number::from_f64(value).unwrap();
            prop_assert_eq!(number.as_f64(), value);
            prop_assert_eq!(Number::parse(&number.text()).unwrap().as_f64(), value);
        }
    }
}
