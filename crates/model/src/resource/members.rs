//! Read the members of a JSON object in wire form.
//!
//! Owns the messages for a member that is absent or has the wrong type, so that they are the same for every resource. A
//! null member counts as absent. Does not own the meaning of any member.

use crate::{Json, Object, Result, ValidationError};

/// The members of one object, with the name of the resource for messages.
#[derive(Clone, Copy)]
pub(crate) struct Members<'a> {
    subject: &'static str,
    object: &'a Object,
}

impl<'a> Members<'a> {
    /// The members of a value that must be an object.
    pub(crate) fn new(subject: &'static str, json: &'a Json) -> Result<Self> {
        json.as_object().map(|object| Self { subject, object }).ok_or_else(|| {
            ValidationError::new(format!(
                "The {subject} must be a JSON object, not {}.",
                describe(json)
            ))
        })
    }

    /// A member that is present and not null.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Json> {
        self.object.get(name).filter(|value| !matches!(value, Json::Null))
    }

    /// The text of a member.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>> {
        self.read(name, "a string", Json::as_str)
    }

    /// The text of a member that is required.
    pub(crate) fn required_text(&self, name: &str) -> Result<&'a str> {
        self.text(name)?.ok_or_else(|| {
            ValidationError::new(format!("The {} has no '{name}'; give it a string.", self.subject))
        })
    }

    /// The `id` of a resource, which is required.
    pub(crate) fn required_id(&self) -> Result<&'a str> {
        self.text("id")?.ok_or_else(|| {
            ValidationError::new(
                "The input content is invalid because the required properties - 'id; ' - are \
                 missing.",
            )
        })
    }

    /// The value of a Boolean member.
    pub(crate) fn boolean(&self, name: &str) -> Result<Option<bool>> {
        self.read(name, "true or false", Json::as_bool)
    }

    /// The value of an integer member.
    pub(crate) fn integer(&self, name: &str) -> Result<Option<i64>> {
        self.read(name, "an integer", Json::as_i64)
    }

    /// The elements of a member; empty when it is absent.
    pub(crate) fn array(&self, name: &str) -> Result<&'a [Json]> {
        Ok(self.read(name, "an array", Json::as_array)?.unwrap_or_default())
    }

    /// The error for a member with an unexpected value.
    pub(crate) fn refuse(&self, name: &str, value: &Json, expected: &str) -> ValidationError {
        ValidationError::new(format!(
            "One of the specified inputs is invalid: the '{name}' of the {} must be {expected}, not {}.",
            self.subject,
            describe(value)
        ))
    }

    fn read<T>(
        &self,
        name: &str,
        expected: &str,
        take: impl FnOnce(&'a Json) -> Option<T>,
    ) -> Result<Option<T>> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => take(value).map(Some).ok_or_else(|| self.refuse(name, value, expected)),
        }
    }
}

/// A short description of a value for messages: scalars as they are, others by type.
pub(crate) fn describe(json: &Json) -> String {
    match json {
        Json::Array(_) | Json::Object(_) => format!("an {}", json.type_name()),
        scalar => scalar.to_string(),
    }
}
