//! The crate through its public API.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod erasure;
mod telemetry;
mod work;
mod world;
