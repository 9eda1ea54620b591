//! The effect of a patch on an item.
//!
//! Owns what each operation does, what it may not touch, and that a patch which fails changes nothing. Does not own the
//! condition, system properties or the size of the result.

use std::fmt;

use super::place::{NoPlace, Place, Position};
use super::{Patch, PatchOperation, PatchPath};
use crate::resource::is_system_property;
use crate::{Json, Number, Object, PropertyPath};

/// Why a patch cannot be applied to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchError {
    operation: usize,
    message: String,
}

impl PatchError {
    /// Place of the failing operation in its patch, counted from 1.
    #[must_use]
    pub fn operation(&self) -> usize {
        self.operation
    }

    /// The sentence.
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

/// The sentence of a failure, before the number of its operation is known.
type Step = Result<(), String>;

impl Patch {
    /// Changes the item, or leaves it as it is when an operation fails. No operation may touch the id, a system
    /// property or the protected paths, which are those of the partition key definition.
    ///
    /// # Errors
    /// When an operation touches what it may not, or finds the item in another shape than it needs.
    pub fn apply(&self, item: &mut Object, protected: &[PropertyPath]) -> Result<(), PatchError> {
        self.check_protected(protected)?;
        let mut changed = item.clone();
        for (place, operation) in self.operations().iter().enumerate() {
            operation.apply(&mut changed).map_err(|sentence| PatchError {
                operation: place + 1,
                message: format!("For Operation({}): {sentence}", place + 1),
            })?;
        }
        *item = changed;
        Ok(())
    }

    fn check_protected(&self, protected: &[PropertyPath]) -> Result<(), PatchError> {
        for (place, operation) in self.operations().iter().enumerate() {
            for path in operation.paths() {
                if let Some(message) = protection(path, protected) {
                    return Err(PatchError { operation: place + 1, message });
                }
            }
        }
        Ok(())
    }
}

/// Why a path may not be touched.
fn protection(path: &PatchPath, protected: &[PropertyPath]) -> Option<String> {
    let first = path.first();
    if first == "id" || is_system_property(first) {
        return Some(format!("Invalid patch request: Cannot patch system property '{first}'."));
    }
    let key = protected.iter().find(|key| path.touches(key))?;
    Some(format!(
        "Invalid patch request: Cannot patch '{path}', because it touches the partition key \
         '{key}'. To change the partition key, delete the item and create it again."
    ))
}

impl PatchOperation {
    fn apply(&self, item: &mut Object) -> Step {
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

fn add(item: &mut Object, path: &PatchPath, value: Json) -> Step {
    match Place::find(item, path).map_err(|error| no_place("Add", &error))? {
        Place::Property(object, name) => object.insert(name, value),
        Place::Element(elements, Position::End) => elements.push(value),
        Place::Element(elements, Position::Index(index)) => {
            if index > elements.len() {
                return Err(out_of_bounds(index));
            }
            elements.insert(index, value);
        }
    }
    Ok(())
}

fn set(item: &mut Object, path: &PatchPath, value: &Json) -> Step {
    match Place::find(item, path).map_err(|error| no_place("Given", &error))? {
        Place::Property(object, name) => object.insert(name, value.clone()),
        Place::Element(elements, Position::End) => elements.push(value.clone()),
        Place::Element(elements, Position::Index(index)) => {
            *elements.get_mut(index).ok_or_else(|| out_of_bounds(index))? = value.clone();
        }
    }
    Ok(())
}

fn replace(item: &mut Object, path: &PatchPath, value: &Json) -> Step {
    *existing(item, path, "replaced")? = value.clone();
    Ok(())
}

fn remove(item: &mut Object, path: &PatchPath) -> Result<Json, String> {
    let absent = || {
        format!(
            "Node({path}) to be removed is absent. Note: it may also have been removed earlier in \
             the transaction."
        )
    };
    match Place::find(item, path).map_err(|error| no_place("Given", &error))? {
        Place::Property(object, name) => object.remove(&name).ok_or_else(absent),
        Place::Element(elements, Position::Index(index)) if index < elements.len() => {
            Ok(elements.remove(index))
        }
        Place::Element(_, Position::Index(index)) => Err(out_of_bounds(index)),
        Place::Element(_, Position::End) => Err(absent()),
    }
}

fn increment(item: &mut Object, path: &PatchPath, by: &Number) -> Step {
    let value = existing(item, path, "incremented")?;
    let Json::Number(number) = value else {
        return Err(format!("Node({path}) is not a number."));
    };
    *number = number.add(by).ok_or_else(|| {
        format!("Node({path}) incremented by {} is outside the range of a double.", by.text())
    })?;
    Ok(())
}

/// Takes the value out first, so that indexes of the target count without it.
fn relocate(item: &mut Object, from: &PatchPath, path: &PatchPath) -> Step {
    if path.is_below(from) {
        return Err(format!("Node({from}) cannot be moved into its own child {path}."));
    }
    if path == from {
        return existing(item, from, "moved").map(drop);
    }
    let value = remove(item, from)?;
    add(item, path, value)
}

/// The value at a path that must be there.
fn existing<'a>(
    item: &'a mut Object,
    path: &PatchPath,
    fate: &str,
) -> Result<&'a mut Json, String> {
    let place = Place::find(item, path).map_err(|error| no_place("Given", &error))?;
    let index = match place {
        Place::Element(_, Position::Index(index)) => Some(index),
        _ => None,
    };
    place.value().ok_or_else(|| match index {
        Some(index) => out_of_bounds(index),
        None => format!("Node({path}) to be {fate} is absent."),
    })
}

fn out_of_bounds(index: usize) -> String {
    format!("Index({index}) to operate on is out of array bounds.")
}

fn no_place(kind: &str, error: &NoPlace) -> String {
    match error {
        NoPlace::Absent(segment) => format!(
            "{kind} Operation can only create a child object of an existing node(array or object) \
             and cannot create path recursively, no path found beyond: '{segment}'."
        ),
        NoPlace::NotAnIndex(segment) => {
            format!("'{segment}' is not an index of the array it points into; use a number or '-'.")
        }
    }
}
