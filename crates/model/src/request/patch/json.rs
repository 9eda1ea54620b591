//! The wire form of a patch.
//!
//! Owns operation names and required members. Does not parse the condition.

use super::{Patch, PatchOperation, PatchPath};
use crate::resource::members::describe;
use crate::{Json, Number, Object, Result, ValidationError};

impl Patch {
    /// Parses the body of a patch request.
    ///
    /// # Errors
    /// When the body is malformed, or has no operation or too many.
    pub fn from_json(body: &Json) -> Result<Self> {
        let elements = body.get("operations").and_then(Json::as_array).ok_or_else(|| {
            refused("the body must be an object with an array named 'operations'")
        })?;
        let condition = match body.get("condition") {
            None | Some(Json::Null) => None,
            Some(Json::String(text)) => Some(text.clone()),
            Some(other) => {
                return Err(refused(&format!(
                    "the condition must be a string, not {}",
                    describe(other)
                )));
            }
        };
        let parse = |(index, element): (usize, &Json)| operation(index + 1, element);
        let operations = elements.iter().enumerate().map(parse).collect::<Result<_>>()?;
        Self::new(operations, condition)
    }
}

fn operation(number: usize, element: &Json) -> Result<PatchOperation> {
    let members = element
        .as_object()
        .ok_or_else(|| refused(&format!("operation {number} must be an object")))?;
    let name = text(number, members, "op")?;
    let path = PatchPath::parse(text(number, members, "path")?)?;
    Ok(match name.to_ascii_lowercase().as_str() {
        "add" => PatchOperation::Add { path, value: value(number, members)? },
        "set" => PatchOperation::Set { path, value: value(number, members)? },
        "replace" => PatchOperation::Replace { path, value: value(number, members)? },
        "remove" => PatchOperation::Remove { path },
        "incr" | "increment" => PatchOperation::Increment { path, by: amount(number, members)? },
        "move" => {
            PatchOperation::Move { from: PatchPath::parse(text(number, members, "from")?)?, path }
        }
        _ => {
            return Err(refused(&format!(
                "operation {number} is named '{name}'; use add, set, replace, remove, incr or move"
            )));
        }
    })
}

fn text<'a>(number: usize, members: &'a Object, name: &str) -> Result<&'a str> {
    members
        .get(name)
        .and_then(Json::as_str)
        .ok_or_else(|| refused(&format!("operation {number} needs a '{name}' that is a string")))
}

fn value(number: usize, members: &Object) -> Result<Json> {
    members
        .get("value")
        .cloned()
        .ok_or_else(|| refused(&format!("operation {number} needs a 'value'")))
}

fn amount(number: usize, members: &Object) -> Result<Number> {
    match value(number, members)? {
        Json::Number(by) => Ok(by),
        other => Err(refused(&format!(
            "the 'value' of operation {number} must be a number, not {}",
            describe(&other)
        ))),
    }
}

fn refused(reason: &str) -> ValidationError {
    ValidationError::new(format!(
        "Invalid patch request: check syntax of patch specification: {reason}."
    ))
}
