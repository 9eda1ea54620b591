//! The binary and the engine on a real folder: commands, bad input, crashes, and the bytes of earlier formats.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod account;
mod bad_folders;
mod chat;
mod commands;
#[cfg(feature = "connect")]
mod contract;
mod copy;
mod cost;
mod crash;
mod emulator;
mod event_store;
mod formats;
mod full_disk;
mod limits;
mod linearizability;
mod notifications;
mod operations;
mod partitions;
mod planisphere;
mod postgres_store;
mod query;
mod report;
mod schema;
mod secret_migration;
mod serve;
mod tls;
mod todo;
mod transfer;
mod worlds;
