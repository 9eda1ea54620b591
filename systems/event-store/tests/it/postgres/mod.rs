//! The provider on PostgreSQL, on a private server that runs as long as tests use it.

mod feed;
mod migration;
mod row_security;
mod server;
mod setup;

pub(crate) use server::TestDatabase;
use setup::open;
pub(crate) use setup::world;
