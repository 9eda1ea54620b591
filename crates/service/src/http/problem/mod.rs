//! What a service answers when it does not do what was asked: one form for everything (RFC 9457).
//!
//! Owns the form, and the tables from failures of the store and of extraction to it.

mod document;
mod refused;
mod store;

pub(crate) use document::Answered;

pub use document::{FieldError, Outcome, Problem, ProblemDocument};
