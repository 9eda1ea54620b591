//! Metrics for Prometheus: counters of requests, and at each reading what the engine knows about the account.

mod account;
mod requests;

pub(crate) use account::AccountMetrics;
pub(crate) use requests::RequestMetrics;
