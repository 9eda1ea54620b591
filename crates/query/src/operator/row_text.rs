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

/// Prints rows as one JSON array.
///
/// # Errors
/// If a number is NaN or infinite: one such number rejects the whole page.
pub fn rows_text(rows: &[Value]) -> Result<String, EvaluationError> {
    let mut text = String::from("[");
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        // Rows are appended to one buffer: a page has no intermediate strings.
        row.print_to(&mut text)?;
    }
    text.push(']');
    Ok(text)
}
