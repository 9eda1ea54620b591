//! The arguments and blocks of one resource, by name and type.
//!
//! Owns the conversions Terraform makes (a text of digits is a number), and that an unknown name is a mistake. Does not
//! own what the arguments mean.

use hcl::Value;
use hcl::edit::structure::{Block, Body};
use model::{Json, Object};

use super::function::text_of;
use super::scope::{Iteration, Scope};
use crate::schema::origin::{Mistake, Origin};
use crate::schema::read::gather::{Gathering, Stated};

/// A body of a resource or of a block in it.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a> {
    pub(super) scope: &'a Scope<'a>,
    pub(super) body: &'a Body,
    pub(super) file: usize,
    pub(super) iteration: Option<&'a Iteration>,
    /// Its name in mistakes.
    pub(super) thing: &'a str,
    pub(super) origin: &'a Origin,
}

/// Says yes to every resource and is not about its content.
const OF_ANY_RESOURCE: &[&str] =
    &["for_each", "count", "depends_on", "provider", "lifecycle", "timeouts"];

impl<'a> Arguments<'a> {
    /// The same for a block inside.
    pub(super) fn inside(&self, block: &'a Block, origin: &'a Origin) -> Self {
        Self { body: &block.body, origin, ..*self }
    }

    /// Refuses names that are neither known here nor to every resource.
    pub(super) fn refuse_unknown(&self, known: &[&str], gathering: &mut Gathering) {
        let attributes = self.body.attributes().map(|one| (one.key.as_str(), self.at(one)));
        let blocks = self.body.blocks().map(|one| (one.ident.as_str(), self.at(one)));
        for (name, origin) in attributes.chain(blocks) {
            if known.contains(&name) || OF_ANY_RESOURCE.contains(&name) {
                continue;
            }
            let message = match name {
                "dynamic" => {
                    format!("{}: a 'dynamic' block is not read; write its blocks out", self.thing)
                }
                _ => format!("{} knows no '{name}'; it knows {}", self.thing, known.join(", ")),
            };
            gathering.mistakes.push(Mistake::at(&origin, message));
        }
    }

    fn at(&self, spanned: &impl hcl::edit::Span) -> Origin {
        self.scope.module.origin(self.file, spanned)
    }

    fn value(&self, name: &str) -> Result<Option<Stated<Value>>, Mistake> {
        let Some(attribute) = self.body.get_attribute(name) else { return Ok(None) };
        let value = self.scope.evaluate(&attribute.value, self.file, self.iteration)?;
        Ok((value != Value::Null).then(|| Stated::new(value, self.at(attribute))))
    }

    fn converted<T>(
        &self,
        name: &str,
        expected: &str,
        convert: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<Stated<T>>, Mistake> {
        let Some(found) = self.value(name)? else { return Ok(None) };
        match convert(&found.value) {
            Some(value) => Ok(Some(Stated::new(value, found.origin))),
            None => Err(Mistake::at(
                &found.origin,
                format!("{}: '{name}' is {expected}, not {}", self.thing, found.value),
            )),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<Stated<String>>, Mistake> {
        self.converted(name, "a text", |value| text_of(value).ok())
    }

    pub(super) fn required_text(&self, name: &str) -> Result<Stated<String>, Mistake> {
        self.text(name)?.ok_or_else(|| self.missing(name))
    }

    pub(super) fn integer(&self, name: &str) -> Result<Option<Stated<i64>>, Mistake> {
        self.converted(name, "a whole number", |value| match value {
            Value::Number(number) => number.as_i64(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        })
    }

    pub(super) fn texts(&self, name: &str) -> Result<Option<Stated<Vec<String>>>, Mistake> {
        self.converted(name, "a list of texts", |value| {
            value.as_array()?.iter().map(|one| text_of(one).ok()).collect()
        })
    }

    pub(super) fn missing(&self, name: &str) -> Mistake {
        Mistake::at(self.origin, format!("{} has no '{name}'; give it one", self.thing))
    }

    /// The blocks of a name, with where they stand.
    pub(super) fn blocks(&self, name: &'a str) -> impl Iterator<Item = (&'a Block, Origin)> {
        self.body.get_blocks(name).map(|block| (block, self.at(block)))
    }

    /// The one block of a name; several are a mistake.
    pub(super) fn block(&self, name: &'a str) -> Result<Option<(&'a Block, Origin)>, Mistake> {
        let mut blocks = self.blocks(name);
        let first = blocks.next();
        match blocks.next() {
            None => Ok(first),
            Some((_, origin)) => {
                let message = format!("{} has one block '{name}' at most", self.thing);
                Err(Mistake::at(&origin, message))
            }
        }
    }
}

/// An object of the wire.
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
