//! `planisphere query`: the rows of a query text.
//!
//! Owns the command. Does not own the language or its execution: those are `query` and `engine`.

mod arguments;
mod explain;
mod pages;
mod place;
mod rows;
mod run;
mod table;

pub(super) use run::Query;
