//! Expressions ready to be evaluated many times.
//!
//! Owns the prepared form of an expression, how it is made and how each of its forms is evaluated. Does not own what it
//! is evaluated with: see the files beside this folder.

mod form;
mod prepare;
mod slot_paths;

mod call;
mod chain;
mod evaluate;
mod like;
mod membership;
mod path;
mod subquery;

pub(crate) use evaluate::count_part;
pub(crate) use form::Formula;
pub(crate) use path::{follow_path, follow_path_within};
pub(crate) use prepare::Preparation;
pub(crate) use slot_paths::SlotPaths;
pub(crate) use subquery::Subquery;
