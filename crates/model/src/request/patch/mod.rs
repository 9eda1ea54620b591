//! Patches: changes to properties of one item, all or nothing.
//!
//! Owns the operations, their wire form and their effect. Keeps the condition as text only: the query crate parses it.

mod apply;
mod json;
mod operation;
mod path;
mod target;
#[cfg(test)]
mod tests;

pub use apply::PatchError;
pub use operation::{Patch, PatchOperation};
pub use path::PatchPath;
