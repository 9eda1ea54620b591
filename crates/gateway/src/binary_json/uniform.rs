//! Uniform arrays: numbers of the same type without markers between them, and arrays of such arrays of the same length.
//!
//! Owns their heads. Does not own the numbers.

use model::Json;

use super::budget::ExpansionBudget;
use super::cursor::Cursor;
use super::{number, unknown_marker};
use crate::http::ApiResult;

/// What an empty array inside another one costs of the budget. It takes no bytes in the body, so without a cost a few
/// bytes could create any number of them.
const EMPTY_ARRAY_BYTES: usize = 64;

/// Reads the array after a marker.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    budget: &mut ExpansionBudget,
    marker: u8,
) -> ApiResult<Json> {
    let width = if matches!(marker, 0xF0 | 0xF2) { 1 } else { 2 };
    if matches!(marker, 0xF0 | 0xF1) {
        let kind = read_number_marker(cursor)?;
        let count = cursor.length(width)?;
        return read_numbers(cursor, kind, count);
    }
    let inner = cursor.byte()?;
    // The inner arrays have counts of the same width as the outer one.
    if inner != marker - 2 {
        return Err(unknown_marker(inner));
    }
    let kind = read_number_marker(cursor)?;
    let (count, arrays) = (cursor.length(width)?, cursor.length(width)?);
    if count == 0 {
        // At most 65,535 arrays: the product cannot overflow.
        budget.take(arrays * EMPTY_ARRAY_BYTES)?;
    }
    let mut outer = Vec::new();
    for _ in 0..arrays {
        outer.push(read_numbers(cursor, kind, count)?);
    }
    Ok(Json::Array(outer))
}

/// Reads the marker that all numbers share.
fn read_number_marker(cursor: &mut Cursor<'_>) -> ApiResult<u8> {
    match cursor.byte()? {
        kind @ (0xCD..=0xCF | 0xD7..=0xDC) => Ok(kind),
        other => Err(unknown_marker(other)),
    }
}

fn read_numbers(cursor: &mut Cursor<'_>, kind: u8, count: usize) -> ApiResult<Json> {
    let mut numbers = Vec::new();
    for _ in 0..count {
        numbers.push(number::read(cursor, kind)?);
    }
    Ok(Json::Array(numbers))
}
