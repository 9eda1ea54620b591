//! Plans through the public API: text cases, the tables of the documentation, and properties.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like tests do"
)]

mod access;
mod bound;
mod composite;
mod condition;
mod describe;
mod evaluate;
mod file;
mod metrics;
pub(crate) mod property;
mod rewrite;

use bound::bound;
