//! Handles to databases and containers, and all calls on them.

mod batch;
mod change_feed;
mod container;
mod database;
mod modify;
mod query;
mod read;
mod write;

pub use container::Container;
pub use database::Database;
pub use read::ItemReadOptions;
