//! From a query text to a bound query that many requests share.
//!
//! `parse` caches syntax trees and binds them, `prepared` caches bound queries with their latest plan, and
//! `clock_cache` decides what a full cache evicts.

mod clock_cache;
mod parse;
mod prepared;

pub(crate) use parse::ParsedQueryCache;
pub(super) use parse::parse_and_bind;
pub(in crate::query) use prepared::PreparedQuery;
pub(crate) use prepared::PreparedQueryCache;
