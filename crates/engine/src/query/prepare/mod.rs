//! From a query text to a bound query that many requests share.
//!
//! `parse` caches syntax trees and binds them, `prepared` caches bound queries with their latest plan, `clock_cache`
//! decides what a full cache evicts, `long_text` moves long queries to a thread, and `user_functions` loads the
//! functions that a query calls.

mod clock_cache;
mod long_text;
mod parse;
mod prepared;
mod user_functions;

pub(crate) use parse::ParsedQueryCache;
pub(super) use parse::parse_and_bind;
pub(crate) use prepared::PreparedQueryCache;
pub(super) use user_functions::FunctionCalls;
