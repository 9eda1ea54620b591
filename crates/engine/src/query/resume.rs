//! Queries that a client resumes after values it names.
//!
//! Owns the error of a filter that does not fit. The condition is made by the crate `query`.

use ::query::resume_query;
use model::Json;

use super::error::bad_query;
use crate::error::Result;

/// The text of a query with the condition of a resume filter: `{"value":[...],"rid":"...","exclude":false}`. The text
/// can be run like any other, and continues with the tokens of the query without the filter.
///
/// # Errors
/// `BadQuery` when the text is invalid or has no ORDER BY, or when the filter does not fit it.
pub fn resume_text(text: &str, filter: &Json) -> Result<String> {
    resume_query(text, filter).map_err(bad_query)
}
