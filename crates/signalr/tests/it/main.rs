//! A hub over its three transports, with a client of our own on streams in memory and a clock that stands still.

mod client;
mod handshake;
mod invocation;
