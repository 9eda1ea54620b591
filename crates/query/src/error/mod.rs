//! Errors of a query, in the service's own words.
//!
//! Owns the error type, the codes with their messages, and the JSON that the service responds with. Does not own HTTP:
//! status, envelope and activity id are added by the gateway.

mod code;
mod json;
mod query_error;

#[cfg(test)]
mod tests;

pub(crate) mod text;

pub use code::QueryErrorCode;
pub use json::to_json;
pub use query_error::{QueryError, Severity, TextLocation};
