//! Clients of the real server, over HTTP, while it is killed, stopped, split, out of disk space, or damaged between two
//! runs. What they saw must be explained by one order of all operations.
//!
//! `cell` is what a logical partition does, as a function; `search` looks for an order in which that function gives
//! what the clients saw; `feed` compares the change feed with the operations. `plan` is made from a seed alone;
//! `rounds` carries it out with `server`, `clients`, `follower` and `damage`. `shared_store` does so with three
//! processes on one PostgreSQL store.

mod cell;
mod clients;
mod damage;
mod disk;
mod feed;
mod follower;
pub(crate) mod http;
mod operation;
mod plan;
mod rounds;
mod search;
mod server;
mod shared_store;
