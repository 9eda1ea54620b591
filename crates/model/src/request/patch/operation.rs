//! A patch and its operations.
//!
//! Owns the shape of a patch and the limit on its operations. Does not own its effect (see `apply`) nor its wire form
//! (see `json`).

use super::PatchPath;
use crate::limits::PATCH_OPERATIONS_MAX;
use crate::{Json, Number, Result, ValidationError};

/// Changes to one item, done together or not at all.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    operations: Vec<PatchOperation>,
    condition: Option<String>,
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

impl Patch {
    /// A patch of 1 to 10 operations, run when the condition (`from c where …`) is true of the item.
    ///
    /// # Errors
    /// When there is no operation, or there are too many.
    pub fn new(operations: Vec<PatchOperation>, condition: Option<String>) -> Result<Self> {
        match operations.len() {
            0 => Err(ValidationError::new(
                "Invalid patch request: check syntax of patch specification: there must be at least \
                 one operation.",
            )),
            1..=PATCH_OPERATIONS_MAX => Ok(Self { operations, condition }),
            count => Err(ValidationError::new(format!(
                "The number of patch operations cannot exceed {PATCH_OPERATIONS_MAX}; this patch \
                 has {count}."
            ))),
        }
    }

    /// What to change, in order.
    #[must_use]
    pub fn operations(&self) -> &[PatchOperation] {
        &self.operations
    }

    /// What must be true of the item before the change, as text.
    #[must_use]
    pub fn condition(&self) -> Option<&str> {
        self.condition.as_deref()
    }
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
