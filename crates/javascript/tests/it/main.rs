//! Scripts against a whole engine in memory: what they see, what they leave, and how they end.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod account;
mod functions;
mod hostile;
mod procedures;
mod samples;
mod transactions;
mod triggers;
