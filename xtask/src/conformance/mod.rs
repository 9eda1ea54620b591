//! The official client libraries against our server: runners, server, results, and the table of them.
//!
//! Does not own what is expected of a library; that is in `conformance/scenarios`.

mod client_library;
mod expected_failures;
mod library;
mod runner;
mod scenario_result;
mod sdk_tests;
mod server;
mod snippet;
mod table;

pub(crate) use client_library::{
    ClientLibrary, clients_exit_code, run_clients, write_client_table,
};
pub(crate) use expected_failures::ExpectedFailures;
pub(crate) use library::{LIBRARIES, Library};
pub(crate) use runner::{is_installed, prepare, run, target_folder};
pub(crate) use scenario_result::ScenarioResult;
pub(crate) use sdk_tests::{HEADING, SDK_TESTS, run_sdk_tests, section};
pub(crate) use server::{ReadyServer, ServerProcess};
pub(crate) use snippet::check as check_snippet;
pub(crate) use table::{full_table, table};
