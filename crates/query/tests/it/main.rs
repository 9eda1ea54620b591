//! The crate seen from outside: text cases and properties.

mod condition;
mod depth;
mod evaluation;
mod nesting;
mod plan;
mod query_text;
mod round_trip;
mod sqltest;
mod stored_text;
mod tree;
