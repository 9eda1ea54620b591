//! Tests of the public API: text cases and properties.

extern crate planisphere_query as query;

mod budget;
mod condition;
mod depth;
mod evaluation;
mod fuzz;
mod nesting;
mod plan;
mod predicate;
mod query_text;
mod ranking;
mod round_trip;
mod sqltest;
mod stored_text;
mod tree;
