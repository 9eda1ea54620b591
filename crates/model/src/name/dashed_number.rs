//! Numbers in the form that identifiers of the service have: `01234567-89ab-cdef-0123-456789abcdef`.
//!
//! Owns the form. Does not own what a number means.

use std::fmt;

/// Where the two digits of each byte stand.
const PLACES: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// A number that prints as 8, 4, 4, 4 and 12 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DashedNumber(pub u128);

impl DashedNumber {
    /// Bytes of a printed number.
    pub const TEXT_BYTES: usize = 36;

    /// The text, for those who do not need a formatter.
    #[must_use]
    pub fn to_ascii(self) -> [u8; Self::TEXT_BYTES] {
        let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or(b'0');
        let mut text = [b'-'; Self::TEXT_BYTES];
        for (byte, place) in self.0.to_be_bytes().into_iter().zip(PLACES) {
            if let Some([high, low]) = text.get_mut(place..place + 2) {
                (*high, *low) = (digit(byte >> 4), digit(byte & 0xF));
            }
        }
        text
    }
}

impl fmt::Display for DashedNumber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(std::str::from_utf8(&self.to_ascii()).unwrap_or_default())
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
