//! Rows as JSON text.
//!
//! Owns the rejection of numbers that JSON cannot represent. Does not own how values are printed: see `value`.

use crate::evaluate::EvaluationError;
use crate::value::Value;

/// Prints a row as JSON.
///
/// # Errors
/// If a number is NaN or infinite.
pub fn row_text(row: &Value) -> Result<String, EvaluationError> {
    Ok(row.to_text()?)
}
