//! Error responses of a service: problem documents (RFC 9457).
//!
//! Owns the document, and the conversion of database errors and of rejected extractors into it. It is a module of its
//! own below `http` and `identity`, which both respond with problems.

mod document;
mod rejection;
mod store;

pub(crate) use document::ProblemExtension;

pub use document::{FieldError, HttpResult, Problem, ProblemDocument};
