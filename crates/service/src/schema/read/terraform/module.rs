//! The blocks of a set of Terraform files, by kind.
//!
//! Owns looking up blocks by name. Does not own any value.

use std::collections::BTreeMap;

use hcl::edit::Span;
use hcl::edit::expr::Expression;
use hcl::edit::structure::{Attribute, Block, Body};

use crate::schema::location::{SchemaError, SourceFile, SourceLocation};

/// The files of one folder.
#[derive(Debug, Default)]
pub(super) struct TerraformModule {
    pub(super) sources: Vec<SourceFile>,
    pub(super) resources: Vec<TerraformResource>,
    pub(super) data: Vec<TerraformResource>,
    pub(super) variables: BTreeMap<String, TerraformVariable>,
    pub(super) locals: BTreeMap<String, LocatedExpression>,
    /// Blocks that are not part of a schema.
    pub(super) others: Vec<(SourceLocation, String)>,
}

/// A resource or a data source.
#[derive(Debug)]
pub(super) struct TerraformResource {
    pub(super) kind: String,
    pub(super) label: String,
    pub(super) body: Body,
    pub(super) file: usize,
    pub(super) location: SourceLocation,
}

/// A variable declaration.
#[derive(Debug)]
pub(super) struct TerraformVariable {
    /// A primitive type such as `string`; `collection` for lists and maps.
    pub(super) kind: Option<String>,
    pub(super) default: Option<LocatedExpression>,
}

/// An expression and the index of its file.
#[derive(Clone, Debug)]
pub(super) struct LocatedExpression {
    pub(super) expression: Expression,
    pub(super) file: usize,
}

impl TerraformModule {
    /// Parses files; those that are not HCL are errors.
    pub(super) fn parse(sources: Vec<SourceFile>, errors: &mut Vec<SchemaError>) -> Self {
        let mut module = Self::default();
        for (file, source) in sources.iter().enumerate() {
            match parse_body(source) {
                Ok(body) => module.add(&body, source, file, errors),
                Err(error) => errors.push(error),
            }
        }
        Self { sources, ..module }
    }

    fn add(
        &mut self,
        body: &Body,
        source: &SourceFile,
        file: usize,
        errors: &mut Vec<SchemaError>,
    ) {
        for attribute in body.attributes() {
            let message = format!("'{}' stands outside of any block", attribute.key.as_str());
            errors.push(SchemaError::at(&location_of(source, attribute), message));
        }
        for block in body.blocks() {
            let location = location_of(source, block);
            let labels: Vec<&str> = block.labels.iter().map(|label| label.as_str()).collect();
            match (block.ident.as_str(), labels.as_slice()) {
                ("resource", [kind, label]) => {
                    let resource = resource(kind, label, block, file, location);
                    self.resources.push(resource);
                }
                ("data", [kind, label]) => {
                    self.data.push(resource(kind, label, block, file, location));
                }
                ("variable", [name]) => {
                    self.variables.insert((*name).to_owned(), variable(block, file));
                }
                ("locals", []) => {
                    for attribute in block.body.attributes() {
                        let term = LocatedExpression { expression: attribute.value.clone(), file };
                        self.locals.insert(attribute.key.as_str().to_owned(), term);
                    }
                }
                // Remembered, so that the report can list what was left out.
                (ident, labels) => {
                    let words = [&[ident], labels].concat();
                    self.others.push((location, words.join(" ")));
                }
            }
        }
    }

    /// The resource of a kind under a label.
    pub(super) fn resource(&self, kind: &str, label: &str) -> Option<&TerraformResource> {
        self.resources.iter().find(|one| one.kind == kind && one.label == label)
    }

    /// The data source of a kind under a label.
    pub(super) fn data(&self, kind: &str, label: &str) -> Option<&TerraformResource> {
        self.data.iter().find(|one| one.kind == kind && one.label == label)
    }

    /// The location of a syntax element.
    pub(super) fn location(&self, file: usize, spanned: &impl Span) -> SourceLocation {
        match self.sources.get(file) {
            Some(source) => location_of(source, spanned),
            None => SourceLocation { file: String::new(), line: 0 },
        }
    }
}

impl TerraformResource {
    /// Its address, as Terraform writes it.
    pub(super) fn address(&self) -> String {
        format!("{}.{}", self.kind, self.label)
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.body.get_attribute(name)
    }
}

/// Parses a file as HCL.
pub(super) fn parse_body(source: &SourceFile) -> Result<Body, SchemaError> {
    hcl::edit::parser::parse_body(&source.text).map_err(|error| {
        let location = SourceLocation { file: source.name.clone(), line: error.location().line() };
        SchemaError::at(&location, format!("this is no HCL: {}", error.message()))
    })
}

fn location_of(source: &SourceFile, spanned: &impl Span) -> SourceLocation {
    source.location(spanned.span().map_or(0, |span| span.start))
}

fn resource(
    kind: &str,
    label: &str,
    block: &Block,
    file: usize,
    location: SourceLocation,
) -> TerraformResource {
    let (kind, label) = (kind.to_owned(), label.to_owned());
    TerraformResource { kind, label, body: block.body.clone(), file, location }
}

fn variable(block: &Block, file: usize) -> TerraformVariable {
    let kind = block.body.get_attribute("type").map(|attribute| match &attribute.value {
        Expression::Variable(name) => name.as_str().to_owned(),
        Expression::String(name) => name.as_str().to_owned(),
        _ => "collection".to_owned(),
    });
    let default = block.body.get_attribute("default");
    let default =
        default.map(|attribute| LocatedExpression { expression: attribute.value.clone(), file });
    TerraformVariable { kind, default }
}
