//! Playbooks: changes of a running deployment, each as a function that first says what it would do.
//!
//! Owns introducing a time to live, changing the indexing policy, and moving messages to a hierarchical partition key.
//! Erasing and exporting a user is in `action`. They need the containers only, not an opened system: opening one
//! reconciles the time to live with the settings.

mod hierarchical_key;
mod indexing;
mod time_to_live;

pub use hierarchical_key::hierarchical_copy;
pub use indexing::{IndexingChange, MessageIndexing, change_indexing};
pub use time_to_live::{RoomExpiry, TtlPlan, apply_ttl, keep_messages, plan_ttl};
