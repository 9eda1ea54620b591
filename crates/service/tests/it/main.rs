//! Tests of the crate through its public interface.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod copy;
mod schema;
