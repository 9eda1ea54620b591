//! Uniform arrays: numbers of one width without markers between them, and arrays of such arrays of one length.
//!
//! Owns their heads. Does not own the numbers.

use model::Json;

use super::budget::Budget;
use super::cursor::Cursor;
use super::{number, unknown};
use crate::exchange::Outcome;

/// What an empty array inside another costs of the budget: it has no bytes in the body.
const EMPTY_ARRAY_BYTES: usize = 64;

/// The array after its marker.
pub(crate) fn read(cursor: &mut Cursor<'_>, budget: &mut Budget, marker: u8) -> Outcome<Json> {
    let width = if matches!(marker, 0xF0 | 0xF2) { 1 } else { 2 };
    if matches!(marker, 0xF0 | 0xF1) {
        let kind = kind(cursor)?;
        let count = cursor.length(width)?;
        return numbers(cursor, kind, count);
    }
    let inner = cursor.byte()?;
    // The arrays inside have counts as wide as the array around them.
    if inner != marker - 2 {
        return Err(unknown(inner));
    }
    let kind = kind(cursor)?;
    let (count, arrays) = (cursor.length(width)?, cursor.length(width)?);
    if count == 0 {
        budget.take(arrays * EMPTY_ARRAY_BYTES)?;
    }
    let mut outer = Vec::new();
    for _ in 0..arrays {
        outer.push(numbers(cursor, kind, count)?);
    }
    Ok(Json::Array(outer))
}

/// The marker of all numbers.
fn kind(cursor: &mut Cursor<'_>) -> Outcome<u8> {
    match cursor.byte()? {
        kind @ (0xCD..=0xCF | 0xD7..=0xDC) => Ok(kind),
        other => Err(unknown(other)),
    }
}

fn numbers(cursor: &mut Cursor<'_>, kind: u8, count: usize) -> Outcome<Json> {
    let mut numbers = Vec::new();
    for _ in 0..count {
        numbers.push(number::read(cursor, kind)?);
    }
    Ok(Json::Array(numbers))
}
