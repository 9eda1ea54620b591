//! What callers can ask for: one file for each kind of read.

mod children;
mod entity;
mod hierarchy;
mod list;
mod operations;
mod page;
mod schemas;
mod search;
mod trash;
mod worlds;

pub use children::ChildCount;
pub use hierarchy::WorldHierarchy;
pub use list::{EntityFilter, EntityOrder, EntitySort};
pub use page::EntityPage;
pub use trash::{TrashPage, TrashedEntity};
pub use worlds::WorldPage;
