//! Numbers as decimal digits, without the detour of a formatter.
//!
//! Owns the digits. Does not own where they are written.

/// Digits of the largest number.
const DIGITS_MAX: usize = 20;

/// The digits of a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal {
    digits: [u8; DIGITS_MAX],
    begin: usize,
}

impl Decimal {
    pub(crate) fn of(number: u64) -> Self {
        let mut digits = [0; DIGITS_MAX];
        let (mut rest, mut begin) = (number, DIGITS_MAX);
        for place in digits.iter_mut().rev() {
            *place = b'0' + (rest % 10) as u8;
            (rest, begin) = (rest / 10, begin - 1);
            if rest == 0 {
                break;
            }
        }
        Self { digits, begin }
    }

    /// The text; all of it is ASCII.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.digits.get(self.begin..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    fn check(number: u64) {
        assert_eq!(Decimal::of(number).as_bytes(), number.to_string().as_bytes());
    }

    #[test]
    fn digits_are_those_that_are_printed() {
        for power in 0..20 {
            let number = 10_u64.pow(power);
            [number - 1, number, number + 1].into_iter().for_each(check);
        }
        check(u64::MAX);
    }
}
