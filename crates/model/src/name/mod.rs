//! Names of resources: the ids users choose and the resource ids the system makes.
//!
//! Owns their rules and their text. Does not own where a resource lives or whether it exists.

mod id;
mod resource_id;

#[cfg(test)]
mod tests;

pub use id::{ContainerId, DatabaseId, ItemId};
pub use resource_id::{ResourceId, ResourceIdKind};
