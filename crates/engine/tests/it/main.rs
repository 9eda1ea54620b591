//! Tests of the engine through its public API: one binary, one module per subject.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

extern crate planisphere_engine as engine;

mod account;
mod attached;
mod batches;
mod budget;
mod change_feed;
mod charge;
mod clock;
mod containers;
mod creation_order;
mod databases;
mod faults;
mod fidelity;
mod indexing;
mod items;
mod large_items;
mod listing;
mod load;
mod model;
mod partition_keys;
mod query;
mod random;
mod restructuring;
mod scaling;
mod scripted_store;
mod sessions;
mod simulation;
mod throughput;
mod time_to_live;
mod time_travel;
mod unique_keys;
mod usage;
mod verbs;
mod verify;
mod versions_feed;
