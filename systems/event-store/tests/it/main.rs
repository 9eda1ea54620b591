//! The event store through its public API: one suite for all providers, crashes of the account provider, migration,
//! HTTP.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod contract;
mod crashes;
mod guardrails;
mod http;
mod legacy;
mod mutants;
#[cfg(feature = "postgres")]
mod postgres;
mod projections;
mod sample;
mod site;
mod tenancy;
mod world;
