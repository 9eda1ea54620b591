//! PostgreSQL beside our server: the same items, the same questions, the same load.
//!
//! `rows` starts it and compares, `load` is the process that asks it, `statement` has the tables and statements.

mod load;
mod rows;
mod statement;

pub(super) use load::PostgresLoad;
pub(super) use rows::rows;
