//! What operators, tests and tools see of a server: health, metrics, the certificate, the explorer with its session,
//! usage, the last requests, physical partitions, what indexes cost, what a change would do, the past of a container.
//!
//! Owns the routes that need no signature and reveal nothing about data, and those under `/_planisphere` that need one.

mod change;
mod explorer;
mod health;
mod history;
mod indexes;
mod partitions;
mod probe;
mod requests;
mod test_routes;
mod usage;

pub(crate) use change::plan_change;
pub(crate) use explorer::{
    find_page, handle_session, is_page_visit, match_session, page_response, redirect_to_explorer,
};
pub(crate) use health::health;
pub(crate) use history::{list_versions, read_history};
pub(crate) use indexes::measure_indexes;
pub use partitions::partitions_document;
pub(crate) use partitions::{handle_partitions, list_keys};
pub(crate) use probe::probe;
pub(crate) use requests::{list_requests, read_request, traffic};
pub(crate) use test_routes::{handle_test_route, match_test_route};
pub(crate) use usage::{report, usage};
