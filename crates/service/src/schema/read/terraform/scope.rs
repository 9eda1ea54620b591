//! Evaluates expressions: variables, locals, and references to other resources.
//!
//! Owns resolving references, and only those that an expression needs: an account or a resource group may be missing,
//! as long as no part of a schema depends on it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use hcl::edit::Span;
use hcl::edit::expr::{Expression, ForIntro, Traversal, TraversalOperator};
use hcl::edit::visit::{Visit, visit_for_intro, visit_traversal};
use hcl::eval::{Context, Evaluate};
use hcl::{Map, Value};

use super::function;
use super::instance::ResourceInstance;
use super::module::{LocatedExpression, TerraformModule, TerraformResource};
use crate::schema::location::{SchemaError, SourceLocation};

pub(super) const DATABASE: &str = "azurerm_cosmosdb_sql_database";
pub(super) const CONTAINER: &str = "azurerm_cosmosdb_sql_container";

/// The values that expressions refer to.
pub(super) struct TerraformScope<'m> {
    pub(super) module: &'m TerraformModule,
    pub(super) values: BTreeMap<String, Value>,
    /// Variables whose values cannot be known, with the reason: an error only where one is used.
    pub(super) unknown: BTreeMap<String, SchemaError>,
    pub(super) database: Option<&'m str>,
    /// The references that are being resolved, innermost last.
    resolving: RefCell<Vec<String>>,
    /// Databases that are referred to but not declared, with the name that is assumed.
    assumed: RefCell<BTreeSet<(String, String)>>,
}

/// A reference in an expression, such as `var.name`.
struct ExpressionReference {
    path: Vec<String>,
    offset: usize,
}

impl<'m> TerraformScope<'m> {
    pub(super) fn new(
        module: &'m TerraformModule,
        values: BTreeMap<String, Value>,
        database: Option<&'m str>,
    ) -> Self {
        let (resolving, assumed) = (RefCell::default(), RefCell::default());
        Self { module, values, unknown: BTreeMap::new(), database, resolving, assumed }
    }

    /// Databases that are referred to but not declared, with the name that is assumed.
    pub(super) fn assumed(&self) -> BTreeSet<(String, String)> {
        self.assumed.borrow().clone()
    }

    /// Evaluates an expression.
    pub(super) fn evaluate(
        &self,
        expression: &Expression,
        file: usize,
        iteration: Option<&ResourceInstance>,
    ) -> Result<Value, SchemaError> {
        let mut references = ReferenceCollector::default();
        references.visit_expr(expression);
        let mut roots: Map<String, Value> = Map::new();
        for reference in &references.found {
            // A name that a `for` expression binds is no reference, whatever else has that name.
            let is_bound = reference.path.first().is_some_and(|it| references.bound.contains(it));
            if !is_bound {
                // Only what the expression names is resolved. Resolving everything first would fail on files that
                // refer to resources which are declared elsewhere.
                let (depth, value) = self.follow(reference, file, iteration)?;
                // The evaluator knows only variables, so each reference becomes a nested object under its first name.
                insert(&mut roots, reference.path.iter().take(depth), value);
            }
        }
        let mut context = Context::new();
        function::declare(&mut context);
        for (name, value) in roots {
            context.declare_var(hcl::Identifier::sanitized(name), value);
        }
        hcl::Expression::from(expression.clone()).evaluate(&context).map_err(|error| {
            SchemaError::at(&self.module.location(file, expression), error.to_string())
        })
    }

    /// Resolves a reference. Returns how many segments of its path the value covers, and the value.
    fn follow(
        &self,
        reference: &ExpressionReference,
        file: usize,
        iteration: Option<&ResourceInstance>,
    ) -> Result<(usize, Value), SchemaError> {
        let location = match self.module.sources.get(file) {
            Some(source) => source.location(reference.offset),
            None => SourceLocation { file: String::new(), line: 0 },
        };
        let path: Vec<&str> = reference.path.iter().map(String::as_str).collect();
        match path.as_slice() {
            ["var", name, ..] => Ok((2, self.variable(name, &location)?)),
            ["local", name, ..] => {
                let term = self.module.locals.get(*name).ok_or_else(|| {
                    SchemaError::at(&location, format!("no local value is named '{name}'"))
                })?;
                Ok((
                    2,
                    self.resolve_once(&format!("local.{name}"), &location, |scope| {
                        scope.evaluate(&term.expression, term.file, None)
                    })?,
                ))
            }
            [root, ..] if iteration.is_some_and(|it| it.find(root).is_some()) => {
                let found = iteration.and_then(|iteration| iteration.find(root));
                Ok((1, found.map_or(Value::Null, |found| found.value.clone())))
            }
            // `each` exists only under `for_each`, `count` only under `count`.
            [root @ ("each" | "count"), ..] => {
                Err(SchemaError::at(&location, format!("there is no '{root}' here")))
            }
            ["path", "module" | "root" | "cwd", ..] => Ok((2, self.folder(file))),
            ["module", name, rest @ ..] => self.module_output(name, rest, &location),
            ["data", kind, label, rest @ ..] => {
                let (depth, value) =
                    self.resource(self.module.data(kind, label), kind, label, rest, &location)?;
                Ok((1 + depth, value))
            }
            [kind, label, rest @ ..] => {
                self.resource(self.module.resource(kind, label), kind, label, rest, &location)
            }
            _ => Err(SchemaError::at(&location, format!("'{}' is unknown", path.join(".")))),
        }
    }

    /// The folder of a file, for expressions that name a file beside it.
    fn folder(&self, file: usize) -> Value {
        let source = self.module.sources.get(file);
        let folder = source.map(|source| source.beside(".").display().to_string());
        Value::from(folder.unwrap_or_default())
    }

    fn variable(&self, name: &str, location: &SourceLocation) -> Result<Value, SchemaError> {
        if let Some(value) = self.values.get(name) {
            return Ok(value.clone());
        }
        if let Some(error) = self.unknown.get(name) {
            return Err(error.clone());
        }
        let variable =
            self.module.variables.get(name).ok_or_else(|| {
                SchemaError::at(location, format!("no variable is named '{name}'"))
            })?;
        let Some(LocatedExpression { expression, file }) = &variable.default else {
            let message =
                format!("the variable '{name}' has no default; give it with --var {name}=VALUE");
            return Err(SchemaError::at(location, message));
        };
        self.resolve_once(&format!("var.{name}"), location, |scope| {
            scope.evaluate(expression, *file, None)
        })
    }

    fn resource(
        &self,
        found: Option<&TerraformResource>,
        kind: &str,
        label: &str,
        rest: &[&str],
        location: &SourceLocation,
    ) -> Result<(usize, Value), SchemaError> {
        let address = format!("{kind}.{label}");
        let Some(found) = found else {
            return match (kind, rest) {
                (DATABASE, ["name", ..]) => {
                    // Containers are often kept apart from their database. The label is a good guess for its name, and
                    // the report says so.
                    let name = self.database.unwrap_or(label).to_owned();
                    self.assumed.borrow_mut().insert((address, name.clone()));
                    Ok((3, Value::from(name)))
                }
                _ => Err(SchemaError::at(
                    location,
                    format!("this depends on {address}, which is not in these files"),
                )),
            };
        };
        let instances = self.instances(found)?;
        match (rest.first(), instances.as_slice()) {
            // One resource without repetition: only the attribute in question is evaluated.
            (Some(attribute), [None]) => {
                let value = self.attribute(found, attribute, None, location)?;
                Ok((3, value))
            }
            (_, instances) => {
                let mut all = Map::new();
                for iteration in instances.iter().flatten() {
                    let mut one = Map::new();
                    let id = (found.kind == CONTAINER).then_some("id");
                    let names = found.body.attributes().map(|attribute| attribute.key.as_str());
                    for name in names.chain(id) {
                        // An attribute that cannot be resolved is left out: the expression may not need it.
                        if let Ok(value) = self.attribute(found, name, Some(iteration), location) {
                            one.insert(name.to_owned(), value);
                        }
                    }
                    all.insert(iteration.key.clone(), Value::Object(one));
                }
                // Instances of `count` are addressed by number, those of `for_each` by key.
                let is_counted = found.attribute("count").is_some();
                Ok((
                    2,
                    match is_counted {
                        true => Value::Array(all.into_values().collect()),
                        false => Value::Object(all),
                    },
                ))
            }
        }
    }

    fn attribute(
        &self,
        resource: &TerraformResource,
        name: &str,
        iteration: Option<&ResourceInstance>,
        location: &SourceLocation,
    ) -> Result<Value, SchemaError> {
        let address = format!("{}.{name}", resource.address());
        if resource.kind == CONTAINER && name == "id" {
            return self.container_id(resource, iteration, location);
        }
        let attribute = resource.attribute(name).ok_or_else(|| {
            let message = format!("{address} is known only after Terraform has run");
            SchemaError::at(location, message)
        })?;
        self.resolve_once(&address, location, |scope| {
            scope.evaluate(&attribute.value, resource.file, iteration)
        })
    }

    /// The id of a container in its account: what its scripts name it by. The account itself is not known.
    fn container_id(
        &self,
        resource: &TerraformResource,
        iteration: Option<&ResourceInstance>,
        location: &SourceLocation,
    ) -> Result<Value, SchemaError> {
        let text = |name: &str| {
            let value = self.attribute(resource, name, iteration, location)?;
            function::text_of(&value).map_err(|why| SchemaError::at(location, why))
        };
        let (database, name) = (text("database_name")?, text("name")?);
        Ok(Value::from(format!("/sqlDatabases/{database}/containers/{name}")))
    }

    /// Detects cycles while a reference is resolved.
    pub(super) fn resolve_once(
        &self,
        what: &str,
        location: &SourceLocation,
        follow: impl FnOnce(&Self) -> Result<Value, SchemaError>,
    ) -> Result<Value, SchemaError> {
        if self.resolving.borrow().iter().any(|other| other == what) {
            return Err(SchemaError::at(location, format!("{what} depends on itself")));
        }
        // Borrowed for a moment only: `follow` comes back here for inner references.
        self.resolving.borrow_mut().push(what.to_owned());
        let value = follow(self);
        self.resolving.borrow_mut().pop();
        value
    }
}

fn insert<'p>(
    roots: &mut Map<String, Value>,
    mut path: impl Iterator<Item = &'p String>,
    value: Value,
) {
    let Some(name) = path.next() else { return };
    let slot = roots.entry(name.clone()).or_insert(Value::Null);
    let mut rest = path.peekable();
    if rest.peek().is_none() {
        *slot = value;
        return;
    }
    // Two references may share their first names: `var.a` and `var.b` become one object.
    if !matches!(slot, Value::Object(_)) {
        *slot = Value::Object(Map::new());
    }
    if let Value::Object(inner) = slot {
        let rest: Vec<&String> = rest.collect();
        insert(inner, rest.into_iter(), value);
    }
}

/// Collects the references of an expression, and the names that its `for` expressions bind.
#[derive(Default)]
struct ReferenceCollector {
    found: Vec<ExpressionReference>,
    bound: BTreeSet<String>,
}

impl Visit for ReferenceCollector {
    fn visit_traversal(&mut self, traversal: &Traversal) {
        if let Expression::Variable(root) = &traversal.expr {
            let mut path = vec![root.as_str().to_owned()];
            for operator in &traversal.operators {
                // An index or a splat is left to the evaluator; the path up to it is what must be resolved.
                let TraversalOperator::GetAttr(name) = operator.value() else { break };
                path.push(name.as_str().to_owned());
            }
            let offset = traversal.span().map_or(0, |span| span.start);
            self.found.push(ExpressionReference { path, offset });
        }
        visit_traversal(self, traversal);
    }

    fn visit_for_intro(&mut self, intro: &ForIntro) {
        let names = [intro.key_var.as_ref(), Some(&intro.value_var)];
        self.bound.extend(names.into_iter().flatten().map(|name| name.as_str().to_owned()));
        visit_for_intro(self, intro);
    }
}
