//! What is wrong with a query, in the service's own words.
//!
//! Owns the error value, the closed list of codes with their texts, and the JSON the service answers with. Does not
//! own HTTP: status, envelope and activity id are added by the gateway.

mod code;
mod json;
mod query_error;

#[cfg(test)]
mod tests;

pub(crate) mod text;

pub use code::QueryErrorCode;
pub use json::to_json;
pub use query_error::{Location, QueryError, Severity};
