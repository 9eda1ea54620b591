//! `planisphere query`: runs a query and prints its rows.

mod arguments;
#[cfg(feature = "connect")]
mod connected;
mod error_position;
mod explain;
#[cfg(feature = "connect")]
mod merged;
mod pages;
mod rows;
mod run;
mod table;

pub(super) use run::QueryCommand;
