//! Numbers of binary JSON, all of them little-endian.
//!
//! Owns each width. Numbers that are not finite are refused, as in JSON text.

use model::{Json, Number};

use super::cursor::Cursor;
use super::unknown_marker;
use crate::http::{ApiError, ApiResult};

/// The number of a marker from 0 to 31, which is the marker itself.
pub(super) fn from_marker(marker: u8) -> Json {
    Json::Number(Number::from(i64::from(marker)))
}

/// Reads the number after a marker.
pub(super) fn read(cursor: &mut Cursor<'_>, marker: u8) -> ApiResult<Json> {
    let signed = |number: i64| Json::Number(Number::from(number));
    Ok(match marker {
        0xC7 => unsigned(u64::from_le_bytes(cursor.array()?)),
        0xC8 | 0xD7 => signed(i64::from(cursor.byte()?)),
        0xC9 | 0xD9 => signed(i64::from(i16::from_le_bytes(cursor.array()?))),
        0xCA | 0xDA => signed(i64::from(i32::from_le_bytes(cursor.array()?))),
        0xCB | 0xDB => signed(i64::from_le_bytes(cursor.array()?)),
        0xCC | 0xCE => double(f64::from_le_bytes(cursor.array()?))?,
        0xCD => double(f64::from(f32::from_le_bytes(cursor.array()?)))?,
        0xCF => double(half(u16::from_le_bytes(cursor.array()?)))?,
        0xD8 => signed(i64::from(i8::from_le_bytes(cursor.array()?))),
        0xDC => signed(i64::from(u32::from_le_bytes(cursor.array()?))),
        _ => return Err(unknown_marker(marker)),
    })
}

fn unsigned(number: u64) -> Json {
    let parsed = Number::parse(&number.to_string());
    Json::Number(parsed.expect("the digits of a whole number are a number"))
}

fn double(number: f64) -> ApiResult<Json> {
    Number::from_f64(number).map(Json::Number).ok_or_else(|| {
        ApiError::invalid_payload("The binary JSON holds a number that is not finite.")
    })
}

/// Converts an IEEE 754 half: one bit of sign, five of exponent, ten of fraction.
fn half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1F);
    let fraction = f64::from(bits & 0x3FF) / 1024.0;
    match exponent {
        0 => sign * fraction * 2.0_f64.powi(-14),
        // Infinity and NaN; `double` refuses both.
        0x1F => f64::NAN,
        _ => sign * (1.0 + fraction) * 2.0_f64.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn half_precision_numbers_are_converted() {
        for (bits, number) in [
            (0x0000, 0.0),
            (0x3C00, 1.0),
            (0xC000, -2.0),
            (0x3555, 0.333_251_953_125),
            (0x7BFF, 65504.0),
            (0x0001, 2.0_f64.powi(-24)),
        ] {
            assert_eq!(half(bits).to_bits(), f64::to_bits(number), "{bits:#06X}");
        }
        assert!(half(0x7C00).is_nan());
    }
}
