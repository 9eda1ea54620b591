//! The official client libraries against our server: runners, server, results, and the table of them.
//!
//! Does not own what is expected of a library; that is in `conformance/scenarios`.

mod expected;
mod library;
mod line;
mod own_tests;
mod prepare;
mod server;
mod snippet;
mod table;

pub(crate) use expected::Expected;
pub(crate) use library::{LIBRARIES, Library};
pub(crate) use line::Line;
pub(crate) use own_tests::{HEADING, OWN_TESTS, run_own_tests, section};
pub(crate) use prepare::{is_there, prepare, run, target_folder};
pub(crate) use server::Server;
pub(crate) use snippet::check as check_snippet;
pub(crate) use table::table;
