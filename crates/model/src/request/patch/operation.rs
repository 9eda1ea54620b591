//! A patch and its operations.
//!
//! Owns the shape of a patch and the limit on its operations. Does not own its effect (see `apply`) nor its wire form
//! (see `json`).

use super::PatchPath;
use crate::limits::PATCH_OPERATIONS_MAX;
use crate::value::set_service_numbers;
use crate::{Json, Number, Result, ValidationError};

/// Changes to one item, applied together or not at all.
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
        /// The target path.
        path: PatchPath,
        /// The value.
        value: Json,
    },
    /// Sets a property or an element of an array.
    Set {
        /// The target path.
        path: PatchPath,
        /// The value.
        value: Json,
    },
    /// Sets a property or an element that already exists.
    Replace {
        /// The target path.
        path: PatchPath,
        /// The value.
        value: Json,
    },
    /// Removes a property or an element.
    Remove {
        /// The target path.
        path: PatchPath,
    },
    /// Adds to a number, or sets a property that does not exist.
    Increment {
        /// The target path.
        path: PatchPath,
        /// The increment; may be negative.
        by: Number,
    },
    /// Removes a value and adds it at another path.
    Move {
        /// The source path.
        from: PatchPath,
        /// The target path.
        path: PatchPath,
    },
}

impl Patch {
    /// The patch with all numbers as the service returns them; see [`Number::to_service_form`].
    #[must_use]
    pub fn with_service_numbers(mut self) -> Self {
        for operation in &mut self.operations {
            match operation {
                PatchOperation::Add { value, .. }
                | PatchOperation::Set { value, .. }
                | PatchOperation::Replace { value, .. } => drop(set_service_numbers(value)),
                PatchOperation::Increment { by, .. } => {
                    if let Some(form) = by.to_service_form() {
                        *by = form;
                    }
                }
                PatchOperation::Remove { .. } | PatchOperation::Move { .. } => {}
            }
        }
        self
    }

    /// A patch of 1 to 10 operations, applied only if the condition (`from c where …`) is true for the item.
    ///
    /// # Errors
    /// When there are no operations or too many.
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

    /// The operations, in order.
    #[must_use]
    pub fn operations(&self) -> &[PatchOperation] {
        &self.operations
    }

    /// The condition on the item, as query text.
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
