//! Numbers in the query text.
//!
//! Owns their forms (`12`, `1.5`, `1.`, `.5`, `1e10`, `0x1F`) and their value: exact within 64 bits, otherwise the
//! nearest double. Signs are operators, not part of a number.

use super::{NumberForm, NumberToken};
use crate::ast::Literal;

/// Reads the number that a text starts with, and its length in bytes; `None` if it does not start with a number.
pub(super) fn read_number(text: &str) -> Option<(NumberToken, usize)> {
    read_hexadecimal(text).or_else(|| read_decimal(text))
}

fn read_hexadecimal(text: &str) -> Option<(NumberToken, usize)> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    let length = digits.bytes().take_while(u8::is_ascii_hexdigit).count();
    // `0x` without digits is the number 0 followed by the name `x`.
    let digits = digits.get(..length).filter(|digits| !digits.is_empty())?;
    let value = match i64::from_str_radix(digits, 16) {
        Ok(integer) => Literal::Integer(integer),
        // Beyond 64 bits the value becomes a double, like a decimal number of that size.
        Err(_) => Literal::double(
            digits
                .chars()
                .filter_map(|digit| digit.to_digit(16))
                // Rust has no parser for hexadecimal doubles.
                .fold(0.0, |value, digit| value * 16.0 + f64::from(digit)),
        ),
    };
    Some((NumberToken { value, form: NumberForm::Integer }, "0x".len() + length))
}

fn read_decimal(text: &str) -> Option<(NumberToken, usize)> {
    let digits_at = |start: usize| text.bytes().skip(start).take_while(u8::is_ascii_digit).count();
    let whole = digits_at(0);
    let mut length = whole;
    let mut form = NumberForm::Integer;
    if text.as_bytes().get(length) == Some(&b'.') {
        let fraction = digits_at(length + 1);
        if whole + fraction == 0 {
            return None;
        }
        length += 1 + fraction;
        form = NumberForm::Decimal;
    } else if whole == 0 {
        return None;
    }
    // `1e` without digits is the number 1 followed by the name `e`.
    let exponent = exponent_length(text.get(length..).unwrap_or_default());
    if exponent > 0 {
        length += exponent;
        form = NumberForm::Decimal;
    }
    let digits = text.get(..length)?;
    // `1.0` and `1e2` are canonicalized to integers by `Literal::double`, like every whole number.
    let value = match digits.parse::<i64>() {
        Ok(integer) if form == NumberForm::Integer => Literal::Integer(integer),
        _ => Literal::double(digits.parse().ok()?),
    };
    Some((NumberToken { value, form }, length))
}

/// The length of `e`, an optional sign and digits; zero when the digits are missing.
fn exponent_length(text: &str) -> usize {
    let Some(unsigned) = text.strip_prefix(['e', 'E']) else {
        return 0;
    };
    let digits = unsigned.strip_prefix(['+', '-']).unwrap_or(unsigned);
    match digits.bytes().take_while(u8::is_ascii_digit).count() {
        0 => 0,
        count => text.len() - digits.len() + count,
    }
}
