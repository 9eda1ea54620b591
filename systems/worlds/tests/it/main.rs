//! Tests of the world builder through its public interface, on embedded accounts and over a server of ours.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod acceptance;
mod access_modes;
mod budgets;
mod crashes;
mod golden;
mod hostile;
mod isolation;
mod site;
mod stage;
mod streams;
mod tree;
