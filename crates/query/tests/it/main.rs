//! The crate seen from outside: text cases and properties.

mod nesting;
mod plan;
mod round_trip;
mod sqltest;
mod tree;
