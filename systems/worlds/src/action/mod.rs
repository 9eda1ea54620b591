//! What callers can change: one file for each kind of write.
//!
//! Every call takes a [`crate::WorldAccess`], so it can only be about a world of the caller.

mod counter;
mod create;
mod delete;
mod erase;
mod move_entity;
mod purge;
mod restore;
mod rules;
mod schema;
mod update;
mod world;

pub use create::WrittenEntity;
pub(crate) use create::new_entity;
pub use restore::{RestoreOptions, RestoredParent};
pub(crate) use world::new_world;
pub use world::{WorldChange, WorldDraft};
