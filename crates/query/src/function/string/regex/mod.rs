//! REGEXMATCH, REGEXEXTRACT and REGEXEXTRACTALL.
//!
//! Owns the functions and the result of a match. An invalid pattern, an unknown modifier and a match with too much
//! backtracking are all undefined; a pattern that is too large, alone or for its text, is an error. Does not own the
//! regex engines, nor the limits: see `pattern`.

mod pattern;
mod plain;
mod search;
mod stepped;

pub(in crate::function) use pattern::{RegexPattern, compiled_bytes_max};
pub(in crate::function) use search::FUNCTIONS;
