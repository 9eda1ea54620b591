//! A patch and its operations.
//!
//! Owns the shape of a patch. Does not own its effect (see `apply`) nor its wire form (see `json`).

use super::{PatchCondition, PatchPath};
use crate::{Json, Number};

/// Changes to one item, done together or not at all.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// What to change, in order; 1 to 10.
    pub operations: Vec<PatchOperation>,
    /// What must hold of the item before the change.
    pub condition: Option<PatchCondition>,
}

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub enum PatchOperation {
    /// Sets a property, or inserts an element into an array.
    Add {
        /// Where.
        path: PatchPath,
        /// What.
        value: Json,
    },
    /// Sets a property or an element of an array.
    Set {
        /// Where.
        path: PatchPath,
        /// What.
        value: Json,
    },
    /// Sets a property or an element that is already there.
    Replace {
        /// Where.
        path: PatchPath,
        /// What.
        value: Json,
    },
    /// Takes a property or an element out.
    Remove {
        /// Where.
        path: PatchPath,
    },
    /// Adds to a number that is already there.
    Increment {
        /// Where.
        path: PatchPath,
        /// By how much; may be negative.
        by: Number,
    },
    /// Takes a value out and adds it elsewhere.
    Move {
        /// From where.
        from: PatchPath,
        /// To where.
        path: PatchPath,
    },
}

impl PatchOperation {
    /// The paths the operation touches.
    pub fn paths(&self) -> impl Iterator<Item = &PatchPath> {
        let (first, second) = match self {
            Self::Add { path, .. }
            | Self::Set { path, .. }
            | Self::Replace { path, .. }
            | Self::Remove { path }
            | Self::Increment { path, .. } => (path, None),
            Self::Move { from, path } => (path, Some(from)),
        };
        std::iter::once(first).chain(second)
    }
}
