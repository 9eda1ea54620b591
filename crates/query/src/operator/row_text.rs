//! Rows as text.
//!
//! Owns the refusal of numbers that JSON cannot hold. Does not own how values print: see `value`.

use crate::evaluate::EvaluationError;
use crate::value::Value;

/// The JSON text of a row.
///
/// # Errors
/// When a number is NaN or infinite.
pub fn row_text(row: &Value) -> Result<String, EvaluationError> {
    Ok(row.to_text()?)
}

/// The JSON texts of rows as one array.
///
/// # Errors
/// When a number is NaN or infinite: one such number refuses the whole page.
pub fn rows_text(rows: &[Value]) -> Result<String, EvaluationError> {
    let mut text = String::from("[");
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        row.print_to(&mut text)?;
    }
    text.push(']');
    Ok(text)
}
