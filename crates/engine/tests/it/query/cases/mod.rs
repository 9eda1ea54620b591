//! The text cases of the query language, put to the engine: the same rows, through items, terms and pages.
//!
//! The items of a case are stored in a container of their own, and the query is run with the default policy (and the
//! composite index its ORDER BY needs) and without any index. The file format and the cases are the crate `query`'s.

#[allow(dead_code, reason = "the engine only reads the files")]
#[path = "../../../../../query/tests/it/sqltest/file.rs"]
mod file;

mod case;
mod every;
mod stored;
