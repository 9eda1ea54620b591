//! The crate through its public API.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod copy;
mod erasure;
mod work;
mod world;
