//! Watching workloads for changes.

mod hub;

pub(crate) use hub::WatchHub;
