//! A real Redis server, and what the chat keeps there.

mod server;
mod store;

pub(crate) use server::RedisServer;
