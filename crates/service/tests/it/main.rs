//! The crate through its public API.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

extern crate planisphere_service as service;

mod copy;
mod erasure;
mod fixture;
mod http;
mod identity;
mod schema;
mod settings;
mod telemetry;
mod work;
mod world;
