//! Patches: changes to parts of one item, all or nothing.
//!
//! Owns the operations, their wire form and their effect. Does not own the condition under which they run beyond its
//! text: the query crate reads it.

mod apply;
mod json;
mod operation;
mod path;
mod place;
#[cfg(test)]
mod tests;

pub use apply::PatchError;
pub use operation::{Patch, PatchOperation};
pub use path::PatchPath;
