//! Handles on databases and containers, and the calls about themselves.

mod container;
mod database;

pub use container::Container;
pub use database::Database;
