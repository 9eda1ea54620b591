//! Numbers in the form that identifiers of the service have: `01234567-89ab-cdef-0123-456789abcdef`.
//!
//! Owns the form. Does not own what a number means.

use std::fmt;

/// For each place of the text: how far the number is shifted so that its digit is last.
const SHIFTS: [u8; 36] = [
    124, 120, 116, 112, 108, 104, 100, 96, DASH, 92, 88, 84, 80, DASH, 76, 72, 68, 64, DASH, 60,
    56, 52, 48, DASH, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0,
];
/// More than the bits there are.
const DASH: u8 = u8::MAX;
const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// A number that prints as 8, 4, 4, 4 and 12 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DashedNumber(pub u128);

impl fmt::Display for DashedNumber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = SHIFTS.map(|shift| match shift {
            DASH => b'-',
            _ => DIGITS.get((self.0 >> shift) as usize & 0xF).copied().unwrap_or(b'0'),
        });
        formatter.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::DashedNumber;

    #[test]
    fn every_digit_has_its_place() {
        let number = 0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978;
        assert_eq!(DashedNumber(number).to_string(), "01234567-89ab-cdef-0f1e-2d3c4b5a6978");
        assert_eq!(DashedNumber(0).to_string(), "00000000-0000-0000-0000-000000000000");
    }
}
