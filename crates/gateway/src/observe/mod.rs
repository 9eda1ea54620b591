//! What operators, tests and tools see of a server: health, metrics, the certificate, the explorer page, usage.
//!
//! Owns the routes that need no signature and reveal nothing about data, and those of usage, which need one.

mod explorer;
mod health;
mod test_routes;
mod usage;

pub(crate) use explorer::{explorer_page, matches_explorer};
pub(crate) use health::health;
pub(crate) use test_routes::{handle_test_route, match_test_route};
pub(crate) use usage::{report, usage};
