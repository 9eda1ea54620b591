//! The engine through its public operations: one binary, one module per subject.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod account;
mod items;
mod processor;
mod time_travel;
mod verify;
