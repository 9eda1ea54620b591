//! Watching workloads for changes.

mod events;
mod hub;

pub(crate) use events::{ALL, cluster_topic, event_ring};
pub(crate) use hub::WatchHub;
