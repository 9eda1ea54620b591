//! The arguments and blocks of one resource, by name and type.
//!
//! Owns the conversions that Terraform makes (a text of digits is a number), and the rejection of unknown names. Does
//! not own what the arguments mean.

use hcl::Value;
use hcl::edit::structure::{Block, Body};
use model::{Json, Object};

use super::function::text_of;
use super::instance::ResourceInstance;
use super::scope::TerraformScope;
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

/// A block inside of a resource: written out, or one of those that a `dynamic` block makes.
pub(super) struct BlockInstance<'a> {
    body: &'a Body,
    pub(super) location: SourceLocation,
    iteration: Option<ResourceInstance>,
}

/// The arguments that every resource accepts; they say nothing about its content.
const OF_ANY_RESOURCE: &[&str] =
    &["for_each", "count", "depends_on", "provider", "lifecycle", "timeouts"];

impl<'a> ResourceArguments<'a> {
    /// The arguments of a nested block.
    pub(super) fn inside<'b>(&'b self, block: &'b BlockInstance<'b>) -> ResourceArguments<'b> {
        let iteration = block.iteration.as_ref().or(self.iteration);
        ResourceArguments { body: block.body, location: &block.location, iteration, ..*self }
    }

    /// Rejects unknown names.
    pub(super) fn reject_unknown(&self, known: &[&str], builder: &mut SchemaBuilder) {
        let attributes = self.body.attributes().map(|one| (one.key.as_str(), self.at(one)));
        let blocks = self.body.blocks().map(|one| match (one.ident.as_str(), one.labels.first()) {
            // It generates blocks of the type in its label.
            ("dynamic", Some(label)) => (label.as_str(), self.at(one)),
            (name, _) => (name, self.at(one)),
        });
        for (name, location) in attributes.chain(blocks) {
            if known.contains(&name) || OF_ANY_RESOURCE.contains(&name) {
                continue;
            }
            let message =
                format!("{} knows no '{name}'; it knows {}", self.thing, known.join(", "));
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

    /// The blocks of a name, also those that `dynamic` blocks make, in the order of the file.
    pub(super) fn blocks(&self, name: &str) -> Result<Vec<BlockInstance<'a>>, SchemaError> {
        let mut found = Vec::new();
        for block in self.body.blocks() {
            let is_dynamic = block.ident.as_str() == "dynamic"
                && block.labels.first().is_some_and(|label| label.as_str() == name);
            if is_dynamic {
                found.extend(self.dynamic(block)?);
            } else if block.ident.as_str() == name {
                let (body, location) = (&block.body, self.at(block));
                found.push(BlockInstance { body, location, iteration: None });
            }
        }
        Ok(found)
    }

    /// The blocks that a `dynamic` block makes of its `content`.
    fn dynamic(&self, block: &'a Block) -> Result<Vec<BlockInstance<'a>>, SchemaError> {
        let location = self.at(block);
        let content = block.body.get_blocks("content").next().ok_or_else(|| {
            SchemaError::at(
                &location,
                format!("{}: a 'dynamic' block has no 'content'", self.thing),
            )
        })?;
        let instances = self.scope.dynamic_instances(block, self.file, self.iteration)?;
        let made = instances.into_iter().map(|iteration| BlockInstance {
            body: &content.body,
            location: location.clone(),
            iteration: Some(iteration),
        });
        Ok(made.collect())
    }

    /// The only block of a name; several are an error.
    pub(super) fn block(&self, name: &str) -> Result<Option<BlockInstance<'a>>, SchemaError> {
        let mut blocks = self.blocks(name)?.into_iter();
        let first = blocks.next();
        match blocks.next() {
            None => Ok(first),
            Some(second) => {
                let message = format!("{} has one block '{name}' at most", self.thing);
                Err(SchemaError::at(&second.location, message))
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
