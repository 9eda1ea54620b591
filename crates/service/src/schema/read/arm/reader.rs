//! The reader of a template: what its parts share.
//!
//! Owns evaluating values that must be known, and errors with their location.

use model::Json;

use super::expression::TemplateScope;
use super::json_locations::JsonLocations;
use crate::schema::location::{SchemaError, SourceFile};
use crate::schema::read::builder::SchemaBuilder;

/// Collects the databases and containers of a template.
pub(super) struct TemplateReader<'s> {
    pub(super) lines: &'s JsonLocations<'s>,
    /// The file, beside which linked templates are looked for.
    pub(super) source: &'s SourceFile,
    pub(super) builder: SchemaBuilder,
    /// How many links lead to this file.
    pub(super) depth: usize,
}

/// A resource with its location and its full name.
pub(super) struct TemplateResource<'t> {
    pub(super) json: &'t Json,
    /// The JSON pointer of the resource.
    pub(super) pointer: String,
    /// Its type including the types of its parents, in lower case.
    pub(super) kind: String,
    /// Its name including the names of its parents.
    pub(super) name: String,
}

impl TemplateReader<'_> {
    /// The value of an expression that must be known.
    pub(super) fn known(
        &self,
        scope: &TemplateScope,
        json: &Json,
        pointer: &str,
    ) -> Result<Json, SchemaError> {
        let value = scope.evaluate(json).map_err(|why| self.at(pointer, why))?;
        match scope.unknown_reason(&value) {
            None => Ok(value),
            Some(why) => Err(self.at(pointer, why)),
        }
    }

    /// An error at a JSON pointer.
    pub(super) fn at(&self, pointer: &str, message: String) -> SchemaError {
        SchemaError::at(&self.lines.location(pointer), message)
    }
}
