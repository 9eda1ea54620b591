//! The migration tracker through its public API and over HTTP, with scripted platforms and a travelling clock.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod acceptance;
mod bad_input;
mod budgets;
mod canaries;
mod crashes;
mod http;
mod kubernetes;
mod platform;
mod platforms;
mod processes;
mod requirements;
mod running;
mod scanning;
mod versions;
mod workload_side;
mod world;
