//! `planisphere import`: reads JSON lines, a JSON array or a CSV table into a container, in a folder or at an endpoint.
//!
//! Rules about items belong to the account, which rejects invalid ones; this reports their lines.

mod array;
mod csv_table;
mod import_run;
mod lines;
mod position;
mod records;
mod run;
mod target;

pub(crate) use run::ImportCommand;
