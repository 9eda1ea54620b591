//! Patches: changes to parts of one item, all or nothing.
//!
//! Owns the operations, their wire form, their effect and the condition under which they run. Does not own the text
//! form of the condition: the query crate parses it.

mod apply;
mod condition;
mod json;
mod operation;
mod path;
mod place;
#[cfg(test)]
mod tests;

pub use apply::PatchError;
pub use condition::{Comparison, PatchCondition};
pub use operation::{Patch, PatchOperation};
pub use path::PatchPath;
