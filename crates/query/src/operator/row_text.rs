//! Rows as JSON text.
//!
//! Owns the rejection of numbers that JSON cannot represent, and of rows that are too large. Does not own how values
//! are printed: see `value`.

use crate::budget::BudgetError;
use crate::evaluate::EvaluationError;
use crate::value::Value;

/// The largest row, in bytes of its text: eight times as much as an item. The text is in memory until the client has
/// read it, when the query and its budget are over; so callers that read slowly must not collect large ones.
pub const ROW_TEXT_BYTES_MAX: usize = 16 << 20;

/// Prints a row as JSON.
///
/// # Errors
/// If a number is NaN or infinite, or the text is longer than [`ROW_TEXT_BYTES_MAX`].
pub fn row_text(row: &Value) -> Result<String, EvaluationError> {
    let text = row.to_text()?;
    if text.len() > ROW_TEXT_BYTES_MAX {
        return Err(BudgetError::RowTooLarge { bytes_max: ROW_TEXT_BYTES_MAX }.into());
    }
    Ok(text)
}
