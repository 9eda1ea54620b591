//! From a query text to a bound query that many requests share.
//!
//! `parse` caches syntax trees and binds them, `prepared` caches bound queries with their latest plan, `clock_cache`
//! decides what a full cache evicts, and `long_text` moves long queries to a thread.

mod clock_cache;
mod long_text;
mod parse;
mod prepared;

pub(crate) use parse::ParsedQueryCache;
pub(super) use parse::parse_and_bind;
pub(crate) use prepared::PreparedQueryCache;
