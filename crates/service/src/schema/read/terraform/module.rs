//! The blocks of a set of Terraform files, sorted by what they are.
//!
//! Owns the names under which blocks find each other. Does not own any value.

use std::collections::BTreeMap;

use hcl::edit::Span;
use hcl::edit::expr::Expression;
use hcl::edit::structure::{Attribute, Block, Body};

use crate::schema::origin::{Mistake, Origin, Source};

/// The files of one folder.
#[derive(Debug, Default)]
pub(super) struct Module {
    pub(super) sources: Vec<Source>,
    pub(super) resources: Vec<Resource>,
    pub(super) data: Vec<Resource>,
    pub(super) variables: BTreeMap<String, Variable>,
    pub(super) locals: BTreeMap<String, Term>,
    /// Blocks that say nothing about a resource of ours.
    pub(super) others: Vec<(Origin, String)>,
}

/// A resource or a data source.
#[derive(Debug)]
pub(super) struct Resource {
    pub(super) kind: String,
    pub(super) label: String,
    pub(super) body: Body,
    pub(super) file: usize,
    pub(super) origin: Origin,
}

/// A variable that a value may be given for.
#[derive(Debug)]
pub(super) struct Variable {
    /// `string` and its like; `collection` for what has parts.
    pub(super) kind: Option<String>,
    pub(super) default: Option<Term>,
}

/// An expression and the file it stands in.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) expression: Expression,
    pub(super) file: usize,
}

impl Module {
    /// Takes files apart; those that are no HCL are mistakes.
    pub(super) fn parse(sources: Vec<Source>, mistakes: &mut Vec<Mistake>) -> Self {
        let mut module = Self::default();
        for (file, source) in sources.iter().enumerate() {
            match parse_body(source) {
                Ok(body) => module.add(&body, source, file, mistakes),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        Self { sources, ..module }
    }

    fn add(&mut self, body: &Body, source: &Source, file: usize, mistakes: &mut Vec<Mistake>) {
        for attribute in body.attributes() {
            let message = format!("'{}' stands outside of any block", attribute.key.as_str());
            mistakes.push(Mistake::at(&origin_of(source, attribute), message));
        }
        for block in body.blocks() {
            let origin = origin_of(source, block);
            let labels: Vec<&str> = block.labels.iter().map(|label| label.as_str()).collect();
            match (block.ident.as_str(), labels.as_slice()) {
                ("resource", [kind, label]) => {
                    let resource = resource(kind, label, block, file, origin);
                    self.resources.push(resource);
                }
                ("data", [kind, label]) => {
                    self.data.push(resource(kind, label, block, file, origin));
                }
                ("variable", [name]) => {
                    self.variables.insert((*name).to_owned(), variable(block, file));
                }
                ("locals", []) => {
                    for attribute in block.body.attributes() {
                        let term = Term { expression: attribute.value.clone(), file };
                        self.locals.insert(attribute.key.as_str().to_owned(), term);
                    }
                }
                (ident, labels) => {
                    let words = [&[ident], labels].concat();
                    self.others.push((origin, words.join(" ")));
                }
            }
        }
    }

    /// The resource of a kind under a label.
    pub(super) fn resource(&self, kind: &str, label: &str) -> Option<&Resource> {
        self.resources.iter().find(|one| one.kind == kind && one.label == label)
    }

    /// The data source of a kind under a label.
    pub(super) fn data(&self, kind: &str, label: &str) -> Option<&Resource> {
        self.data.iter().find(|one| one.kind == kind && one.label == label)
    }

    /// Where something of a file stands.
    pub(super) fn origin(&self, file: usize, spanned: &impl Span) -> Origin {
        match self.sources.get(file) {
            Some(source) => origin_of(source, spanned),
            None => Origin { file: String::new(), line: 0 },
        }
    }
}

impl Resource {
    /// Its address, as Terraform writes it.
    pub(super) fn address(&self) -> String {
        format!("{}.{}", self.kind, self.label)
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.body.get_attribute(name)
    }
}

/// A text as HCL.
pub(super) fn parse_body(source: &Source) -> Result<Body, Mistake> {
    hcl::edit::parser::parse_body(&source.text).map_err(|error| {
        let origin = Origin { file: source.name.clone(), line: error.location().line() };
        Mistake::at(&origin, format!("this is no HCL: {}", error.message()))
    })
}

fn origin_of(source: &Source, spanned: &impl Span) -> Origin {
    source.origin(spanned.span().map_or(0, |span| span.start))
}

fn resource(kind: &str, label: &str, block: &Block, file: usize, origin: Origin) -> Resource {
    let (kind, label) = (kind.to_owned(), label.to_owned());
    Resource { kind, label, body: block.body.clone(), file, origin }
}

fn variable(block: &Block, file: usize) -> Variable {
    let kind = block.body.get_attribute("type").map(|attribute| match &attribute.value {
        Expression::Variable(name) => name.as_str().to_owned(),
        Expression::String(name) => name.as_str().to_owned(),
        _ => "collection".to_owned(),
    });
    let default = block.body.get_attribute("default");
    let default = default.map(|attribute| Term { expression: attribute.value.clone(), file });
    Variable { kind, default }
}
