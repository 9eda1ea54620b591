//! Ids of resources: those that users choose, and the resource ids that the system generates.
//!
//! Owns their validation and their text form. Does not own whether a resource exists.

mod id;
mod resource_id;

#[cfg(test)]
mod tests;

pub use id::{ContainerId, DatabaseId, ItemId};
pub use resource_id::{ResourceId, ResourceIdKind};
