//! The crate through its public API.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod copy;
mod erasure;
mod schema;
mod work;
mod world;
