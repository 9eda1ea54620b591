//! The provider on PostgreSQL, on a private server that runs as long as tests use it.

mod crashes;
mod feed;
mod migration;
mod mutants;
mod proxy;
mod row_security;
mod server;
mod setup;

pub(crate) use server::TestDatabase;
use setup::open;
pub(crate) use setup::world;
use setup::world_behind_proxy;
