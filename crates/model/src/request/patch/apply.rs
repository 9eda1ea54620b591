//! Apply a patch to an item.
//!
//! Owns what each operation does and what it must not touch. A patch that fails changes nothing. Does not own the
//! condition, system properties or the size of the result.

use std::fmt;

use super::target::{ArrayPosition, PatchTarget, PatchTargetError};
use super::{Patch, PatchOperation, PatchPath};
use crate::resource::is_system_property;
use crate::{Json, Number, Object, PropertyPath};

/// A patch could not be applied to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchError {
    operation: usize,
    message: String,
}

impl PatchError {
    /// Number of the failing operation in its patch, counted from 1.
    #[must_use]
    pub fn operation(&self) -> usize {
        self.operation
    }

    /// The message.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for PatchError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for PatchError {}

/// The error is a message without the number of the operation, which the caller adds.
type OperationResult = Result<(), String>;

impl Patch {
    /// Applies all operations, or leaves the item unchanged when one fails. No operation may touch the id, a system
    /// property or the protected paths, which are those of the partition key definition.
    ///
    /// # Errors
    /// When an operation touches a protected property or does not fit the item.
    pub fn apply(&self, item: &mut Object, protected: &[PropertyPath]) -> Result<(), PatchError> {
        // For all operations before the first one: whether a path is protected does not depend on the item.
        self.check_protected(protected)?;
        // Work on a copy: a later operation may fail after earlier ones changed the item.
        let mut changed = item.clone();
        for (index, operation) in self.operations().iter().enumerate() {
            operation.apply(&mut changed).map_err(|message| PatchError {
                operation: index + 1,
                message: format!("For Operation({}): {message}", index + 1),
            })?;
        }
        *item = changed;
        Ok(())
    }

    fn check_protected(&self, protected: &[PropertyPath]) -> Result<(), PatchError> {
        for (index, operation) in self.operations().iter().enumerate() {
            for path in operation.paths() {
                if let Some(message) = check_path(path, protected) {
                    return Err(PatchError { operation: index + 1, message });
                }
            }
        }
        Ok(())
    }
}

/// The error message if a path must not be changed.
fn check_path(path: &PatchPath, protected: &[PropertyPath]) -> Option<String> {
    let first = path.first();
    if first == "id" || is_system_property(first) {
        return Some(format!("Invalid patch request: Cannot patch system property '{first}'."));
    }
    // Also a parent or a child of the path: setting `/tenant` would replace `/tenant/id`.
    let key = protected.iter().find(|key| path.touches(key))?;
    Some(format!(
        "Invalid patch request: Cannot patch '{path}', because it touches the partition key \
         '{key}'. To change the partition key, delete the item and create it again."
    ))
}

impl PatchOperation {
    fn apply(&self, item: &mut Object) -> OperationResult {
        match self {
            Self::Add { path, value } => add(item, path, value.clone()),
            Self::Set { path, value } => set(item, path, value),
            Self::Replace { path, value } => replace(item, path, value),
            Self::Remove { path } => remove(item, path).map(drop),
            Self::Increment { path, by } => increment(item, path, by),
            Self::Move { from, path } => relocate(item, from, path),
        }
    }
}

fn add(item: &mut Object, path: &PatchPath, value: Json) -> OperationResult {
    match PatchTarget::find(item, path).map_err(|error| target_error("Add", &error))? {
        PatchTarget::Property(object, name) => object.insert(name, value),
        PatchTarget::Element(elements, ArrayPosition::End) => elements.push(value),
        PatchTarget::Element(elements, ArrayPosition::Index(index)) => {
            // Equal to the length is allowed: it appends.
            if index > elements.len() {
                return Err(out_of_bounds(index));
            }
            elements.insert(index, value);
        }
    }
    Ok(())
}

fn set(item: &mut Object, path: &PatchPath, value: &Json) -> OperationResult {
    match PatchTarget::find(item, path).map_err(|error| target_error("Given", &error))? {
        PatchTarget::Property(object, name) => object.insert(name, value.clone()),
        PatchTarget::Element(elements, ArrayPosition::End) => elements.push(value.clone()),
        PatchTarget::Element(elements, ArrayPosition::Index(index)) => {
            *elements.get_mut(index).ok_or_else(|| out_of_bounds(index))? = value.clone();
        }
    }
    Ok(())
}

fn replace(item: &mut Object, path: &PatchPath, value: &Json) -> OperationResult {
    *find_existing(item, path, "replaced")? = value.clone();
    Ok(())
}

fn remove(item: &mut Object, path: &PatchPath) -> Result<Json, String> {
    let absent = || {
        format!(
            "Node({path}) to be removed is absent. Note: it may also have been removed earlier in \
             the transaction."
        )
    };
    match PatchTarget::find(item, path).map_err(|error| target_error("Given", &error))? {
        PatchTarget::Property(object, name) => object.remove(&name).ok_or_else(absent),
        PatchTarget::Element(elements, ArrayPosition::Index(index)) if index < elements.len() => {
            Ok(elements.remove(index))
        }
        PatchTarget::Element(_, ArrayPosition::Index(index)) => Err(out_of_bounds(index)),
        PatchTarget::Element(_, ArrayPosition::End) => Err(absent()),
    }
}

/// Adds to a number. A property that does not exist is set to the increment; an element must exist.
fn increment(item: &mut Object, path: &PatchPath, by: &Number) -> OperationResult {
    if let PatchTarget::Property(object, name) =
        PatchTarget::find(item, path).map_err(|error| target_error("Given", &error))?
        && object.get(&name).is_none()
    {
        object.insert(name, Json::Number(by.clone()));
        return Ok(());
    }
    let value = find_existing(item, path, "incremented")?;
    let Json::Number(number) = value else {
        return Err(format!("Node({path}) is not a number."));
    };
    *number = number.add(by).ok_or_else(|| {
        format!("Node({path}) incremented by {} is outside the range of a double.", by.text())
    })?;
    Ok(())
}

/// Removes the value first: array indexes in the target path refer to the array without it.
fn relocate(item: &mut Object, from: &PatchPath, path: &PatchPath) -> OperationResult {
    if path.is_below(from) {
        return Err(format!("Node({from}) cannot be moved into its own child {path}."));
    }
    if path == from {
        // Removing and adding would move a property to the end of its object.
        return find_existing(item, from, "moved").map(drop);
    }
    let value = remove(item, from)?;
    add(item, path, value)
}

/// Finds the value at a path; it must exist.
fn find_existing<'a>(
    item: &'a mut Object,
    path: &PatchPath,
    participle: &str,
) -> Result<&'a mut Json, String> {
    let target = PatchTarget::find(item, path).map_err(|error| target_error("Given", &error))?;
    let index = match target {
        PatchTarget::Element(_, ArrayPosition::Index(index)) => Some(index),
        _ => None,
    };
    target.value().ok_or_else(|| match index {
        Some(index) => out_of_bounds(index),
        None => format!("Node({path}) to be {participle} is absent."),
    })
}

fn out_of_bounds(index: usize) -> String {
    format!("Index({index}) to operate on is out of array bounds.")
}

fn target_error(kind: &str, error: &PatchTargetError) -> String {
    match error {
        PatchTargetError::Absent(segment) => format!(
            "{kind} Operation can only create a child object of an existing node(array or object) \
             and cannot create path recursively, no path found beyond: '{segment}'."
        ),
        PatchTargetError::NotAnIndex(segment) => {
            format!("'{segment}' is not an index of the array it points into; use a number or '-'.")
        }
    }
}
