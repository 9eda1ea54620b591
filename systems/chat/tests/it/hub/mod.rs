//! The hub over the wire: CH-A6 to CH-A8, CH-A12, CH-A14 to CH-A16, credentials, floods, and two processes.

mod backplane;
mod client;
mod connections;
mod processes;
mod rooms;
mod stage;

pub(crate) use client::Transport;
pub(crate) use stage::{ServedHub, Stage};
