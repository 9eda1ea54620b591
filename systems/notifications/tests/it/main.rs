//! The notifications system through its public API and over HTTP, on an account in memory with a travelling clock.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

extern crate planisphere_notifications as notifications;

mod acceptance;
mod budgets;
mod crashes;
mod delivery;
mod devices;
mod erasure;
mod faults;
mod golden;
mod hostile;
mod http;
mod isolation;
mod pages;
mod rules;
mod site;
mod streams;
mod verification;
mod world;
