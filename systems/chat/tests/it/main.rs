//! The chat through its public API, over HTTP and over its hub, with a travelling clock.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod acceptance;
mod budgets;
mod erasure;
mod features;
mod golden;
mod http;
mod hub;
mod isolation;
mod issuer_sign_in;
mod logs;
mod mail;
mod paging;
mod people;
mod playbooks;
mod redis;
mod reminders;
mod repositories;
mod requirements;
mod sessions;
mod site;
mod stages;
mod world;
