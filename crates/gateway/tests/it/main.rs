//! The gateway over a real socket.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

extern crate planisphere_gateway as gateway;

mod account;
mod attached;
mod authorization;
mod backups;
mod bearer;
mod bounds;
mod budget;
mod change_feed;
mod charges;
mod client;
mod conditions;
mod containers;
mod databases;
mod explorer;
mod explorer_questions;
mod faults;
mod fuzz;
mod headers;
mod hostile;
mod in_process;
mod items;
mod observing;
mod offers;
mod panics;
mod partition_key_ranges;
mod permissions;
mod queries;
mod renames;
mod resume_filter;
mod scripts;
mod starvation;
mod test_control;
mod trace_context;
mod transactional_batch;
mod usage;
mod wire_rules;
