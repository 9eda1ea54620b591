//! The arguments and blocks of one resource, by name and type.
//!
//! Owns the conversions that Terraform makes (a text of digits is a number), and the rejection of unknown names. Does
//! not own what the arguments mean.

use hcl::Value;
use hcl::edit::structure::{Block, Body};
use model::{Json, Object};

use super::function::text_of;
use super::scope::{ResourceInstance, TerraformScope};
use crate::schema::location::{SchemaError, SourceLocation};
use crate::schema::read::builder::{Located, SchemaBuilder};

/// The body of a resource or of a block in it.
#[derive(Clone, Copy)]
pub(super) struct ResourceArguments<'a> {
    pub(super) scope: &'a TerraformScope<'a>,
    pub(super) body: &'a Body,
    pub(super) file: usize,
    pub(super) iteration: Option<&'a ResourceInstance>,
    /// Its name in error messages.
    pub(super) thing: &'a str,
    pub(super) location: &'a SourceLocation,
}

/// The arguments that every resource accepts; they say nothing about its content.
const OF_ANY_RESOURCE: &[&str] =
    &["for_each", "count", "depends_on", "provider", "lifecycle", "timeouts"];

impl<'a> ResourceArguments<'a> {
    /// The arguments of a nested block.
    pub(super) fn inside(&self, block: &'a Block, location: &'a SourceLocation) -> Self {
        Self { body: &block.body, location, ..*self }
    }

    /// Rejects unknown names.
    pub(super) fn reject_unknown(&self, known: &[&str], builder: &mut SchemaBuilder) {
        let attributes = self.body.attributes().map(|one| (one.key.as_str(), self.at(one)));
        let blocks = self.body.blocks().map(|one| (one.ident.as_str(), self.at(one)));
        for (name, location) in attributes.chain(blocks) {
            if known.contains(&name) || OF_ANY_RESOURCE.contains(&name) {
                continue;
            }
            let message = match name {
                "dynamic" => {
                    format!("{}: a 'dynamic' block is not read; write its blocks out", self.thing)
                }
                _ => format!("{} knows no '{name}'; it knows {}", self.thing, known.join(", ")),
            };
            builder.errors.push(SchemaError::at(&location, message));
        }
    }

    fn at(&self, spanned: &impl hcl::edit::Span) -> SourceLocation {
        self.scope.module.location(self.file, spanned)
    }

    fn value(&self, name: &str) -> Result<Option<Located<Value>>, SchemaError> {
        let Some(attribute) = self.body.get_attribute(name) else { return Ok(None) };
        let value = self.scope.evaluate(&attribute.value, self.file, self.iteration)?;
        // Terraform treats an argument that is null as absent.
        Ok((value != Value::Null).then(|| Located::new(value, self.at(attribute))))
    }

    fn converted<T>(
        &self,
        name: &str,
        expected: &str,
        convert: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<Located<T>>, SchemaError> {
        let Some(found) = self.value(name)? else { return Ok(None) };
        match convert(&found.value) {
            Some(value) => Ok(Some(Located::new(value, found.location))),
            None => Err(SchemaError::at(
                &found.location,
                format!("{}: '{name}' is {expected}, not {}", self.thing, found.value),
            )),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<Located<String>>, SchemaError> {
        self.converted(name, "a text", |value| text_of(value).ok())
    }

    pub(super) fn required_text(&self, name: &str) -> Result<Located<String>, SchemaError> {
        self.text(name)?.ok_or_else(|| self.missing(name))
    }

    pub(super) fn integer(&self, name: &str) -> Result<Option<Located<i64>>, SchemaError> {
        self.converted(name, "a whole number", |value| match value {
            Value::Number(number) => number.as_i64(),
            // Terraform converts between texts and numbers, and values from the command line are often texts.
            Value::String(text) => text.parse().ok(),
            _ => None,
        })
    }

    pub(super) fn texts(&self, name: &str) -> Result<Option<Located<Vec<String>>>, SchemaError> {
        self.converted(name, "a list of texts", |value| {
            value.as_array()?.iter().map(|one| text_of(one).ok()).collect()
        })
    }

    pub(super) fn missing(&self, name: &str) -> SchemaError {
        SchemaError::at(self.location, format!("{} has no '{name}'; give it one", self.thing))
    }

    /// The blocks of a name, with their locations.
    pub(super) fn blocks(
        &self,
        name: &'a str,
    ) -> impl Iterator<Item = (&'a Block, SourceLocation)> {
        self.body.get_blocks(name).map(|block| (block, self.at(block)))
    }

    /// The only block of a name; several are an error.
    pub(super) fn block(
        &self,
        name: &'a str,
    ) -> Result<Option<(&'a Block, SourceLocation)>, SchemaError> {
        let mut blocks = self.blocks(name);
        let first = blocks.next();
        match blocks.next() {
            None => Ok(first),
            Some((_, location)) => {
                let message = format!("{} has one block '{name}' at most", self.thing);
                Err(SchemaError::at(&location, message))
            }
        }
    }
}

/// An object of the wire format, without absent members.
pub(super) fn object<const N: usize>(members: [(&str, Option<Json>); N]) -> Json {
    let mut object = Object::new();
    for (name, value) in members {
        if let Some(value) = value {
            object.insert(name, value);
        }
    }
    Json::Object(object)
}

pub(super) fn list(texts: &[String]) -> Json {
    Json::Array(texts.iter().map(|text| Json::from(text.as_str())).collect())
}
