//! A hub over its three transports, with a client of our own on streams in memory and a clock that stands still.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod backplane;
mod client;
mod handshake;
mod invocation;
mod limits;
mod message_pack;
mod polling;
mod reconnect;
mod sending;
mod server_sent_events;
mod streaming;
mod timers;
