//! The blocks of a set of Terraform files, by kind.
//!
//! Owns looking up blocks by name. Does not own any value.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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
    pub(super) outputs: BTreeMap<String, LocatedExpression>,
    pub(super) calls: Vec<ModuleCall>,
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

/// A `module` block: its arguments, and the files that it names.
#[derive(Debug)]
pub(super) struct ModuleCall {
    /// Its block, as that of a resource of the kind `module`.
    pub(super) block: TerraformResource,
    /// The module, or why it cannot be read.
    pub(super) module: Result<Box<TerraformModule>, String>,
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
    /// Parses files, and the modules that they call by a relative path; those that are not HCL are errors.
    pub(super) fn parse(sources: Vec<SourceFile>, errors: &mut Vec<SchemaError>) -> Self {
        Self::parse_at(sources, errors, 0)
    }

    fn parse_at(sources: Vec<SourceFile>, errors: &mut Vec<SchemaError>, depth: usize) -> Self {
        let mut module = Self::default();
        for (file, source) in sources.iter().enumerate() {
            match parse_body(source) {
                Ok(body) => module.add(&body, source, file, errors),
                Err(error) => errors.push(error),
            }
        }
        for call in &mut module.calls {
            let Some(source) = sources.get(call.block.file) else { continue };
            call.module = called_module(&call.block, source, errors, depth);
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
                ("module", [name]) => {
                    let block = resource("module", name, block, file, location);
                    self.calls.push(ModuleCall { block, module: Err(String::new()) });
                }
                ("output", [name]) => {
                    if let Some(attribute) = block.body.get_attribute("value") {
                        let term = LocatedExpression { expression: attribute.value.clone(), file };
                        self.outputs.insert((*name).to_owned(), term);
                    }
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

    /// The module block of a name.
    pub(super) fn call(&self, name: &str) -> Option<&ModuleCall> {
        self.calls.iter().find(|call| call.block.label == name)
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

/// Modules that call each other more deeply are taken for a cycle.
const CALLS_MAX: usize = 8;

/// Reads the module of a block. Only folders on this machine are read.
fn called_module(
    block: &TerraformResource,
    source: &SourceFile,
    errors: &mut Vec<SchemaError>,
    depth: usize,
) -> Result<Box<TerraformModule>, String> {
    let given = block.attribute("source").map(|attribute| &attribute.value);
    let Some(Expression::String(path)) = given else {
        return Err("its source is no text".to_owned());
    };
    let path = path.as_str();
    if !path.starts_with("./") && !path.starts_with("../") {
        return Err(format!("its source '{path}' is no folder here"));
    }
    if depth >= CALLS_MAX {
        return Err("modules call each other in circles".to_owned());
    }
    let folder = source.beside(path);
    let sources = folder_sources(&folder).map_err(|error| error.message)?;
    Ok(Box::new(TerraformModule::parse_at(sources, errors, depth + 1)))
}

/// The `.tf` files of a folder.
pub(super) fn folder_sources(folder: &Path) -> Result<Vec<SourceFile>, SchemaError> {
    let is_terraform = |path: &PathBuf| path.extension().is_some_and(|it| it == "tf");
    let paths: Vec<_> = entries(folder).into_iter().filter(is_terraform).collect();
    if paths.is_empty() {
        let message = format!("{} has no .tf files", folder.display());
        return Err(SchemaError::anywhere(message));
    }
    paths.iter().map(|path| SourceFile::load(path)).collect()
}

/// The files of a folder, by name.
pub(super) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|one| one.path())).collect();
    paths.sort();
    paths
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
