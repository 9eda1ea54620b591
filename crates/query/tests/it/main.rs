//! The crate seen from outside: text cases and properties.

mod nesting;
mod round_trip;
mod sqltest;
mod tree;
