//! The values of expressions: variables, locals, and what one resource says about another.
//!
//! Owns how references are followed, and only those that an expression needs: an account or a resource group may be
//! missing as long as nothing of a schema depends on it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use hcl::edit::Span;
use hcl::edit::expr::{Expression, ForIntro, Traversal, TraversalOperator};
use hcl::edit::visit::{Visit, visit_for_intro, visit_traversal};
use hcl::eval::{Context, Evaluate};
use hcl::{Map, Value};

use super::function;
use super::module::{Module, Resource, Term};
use crate::schema::origin::{Mistake, Origin};

pub(super) const DATABASE: &str = "azurerm_cosmosdb_sql_database";

/// Where expressions get their values.
pub(super) struct Scope<'m> {
    pub(super) module: &'m Module,
    given: BTreeMap<String, Value>,
    database: Option<&'m str>,
    busy: RefCell<Vec<String>>,
    /// Databases that are referred to and not declared, with the name that was taken.
    assumed: RefCell<BTreeSet<(String, String)>>,
}

/// One of the resources that `for_each` or `count` makes of a block.
#[derive(Clone, Debug)]
pub(super) struct Iteration {
    root: &'static str,
    key: String,
    value: Value,
}

/// What an expression names, such as `var.name`.
struct Reference {
    path: Vec<String>,
    offset: usize,
}

impl<'m> Scope<'m> {
    pub(super) fn new(
        module: &'m Module,
        given: BTreeMap<String, Value>,
        database: Option<&'m str>,
    ) -> Self {
        let (busy, assumed) = (RefCell::default(), RefCell::default());
        Self { module, given, database, busy, assumed }
    }

    /// Databases that are referred to and not declared, with the name that was taken.
    pub(super) fn assumed(&self) -> BTreeSet<(String, String)> {
        self.assumed.borrow().clone()
    }

    /// The value of an expression.
    pub(super) fn evaluate(
        &self,
        expression: &Expression,
        file: usize,
        iteration: Option<&Iteration>,
    ) -> Result<Value, Mistake> {
        let mut references = References::default();
        references.visit_expr(expression);
        let mut roots: Map<String, Value> = Map::new();
        for reference in &references.found {
            let is_bound = reference.path.first().is_some_and(|it| references.bound.contains(it));
            if !is_bound {
                let (depth, value) = self.follow(reference, file, iteration)?;
                insert(&mut roots, reference.path.iter().take(depth), value);
            }
        }
        let mut context = Context::new();
        function::declare(&mut context);
        for (name, value) in roots {
            context.declare_var(hcl::Identifier::sanitized(name), value);
        }
        hcl::Expression::from(expression.clone())
            .evaluate(&context)
            .map_err(|error| Mistake::at(&self.module.origin(file, expression), error.to_string()))
    }

    /// The value of a reference, and how much of its path that value is for.
    fn follow(
        &self,
        reference: &Reference,
        file: usize,
        iteration: Option<&Iteration>,
    ) -> Result<(usize, Value), Mistake> {
        let origin = match self.module.sources.get(file) {
            Some(source) => source.origin(reference.offset),
            None => Origin { file: String::new(), line: 0 },
        };
        let path: Vec<&str> = reference.path.iter().map(String::as_str).collect();
        match path.as_slice() {
            ["var", name, ..] => Ok((2, self.variable(name, &origin)?)),
            ["local", name, ..] => {
                let term = self.module.locals.get(*name).ok_or_else(|| {
                    Mistake::at(&origin, format!("no local value is named '{name}'"))
                })?;
                Ok((
                    2,
                    self.guarded(&format!("local.{name}"), &origin, |scope| {
                        scope.evaluate(&term.expression, term.file, None)
                    })?,
                ))
            }
            [root @ ("each" | "count"), ..] => match iteration {
                Some(iteration) if iteration.root == *root => Ok((1, iteration.value.clone())),
                _ => Err(Mistake::at(&origin, format!("there is no '{root}' here"))),
            },
            ["data", kind, label, rest @ ..] => {
                let (depth, value) =
                    self.resource(self.module.data(kind, label), kind, label, rest, &origin)?;
                Ok((1 + depth, value))
            }
            [kind, label, rest @ ..] => {
                self.resource(self.module.resource(kind, label), kind, label, rest, &origin)
            }
            _ => Err(Mistake::at(&origin, format!("'{}' is unknown", path.join(".")))),
        }
    }

    fn variable(&self, name: &str, origin: &Origin) -> Result<Value, Mistake> {
        if let Some(value) = self.given.get(name) {
            return Ok(value.clone());
        }
        let variable = self
            .module
            .variables
            .get(name)
            .ok_or_else(|| Mistake::at(origin, format!("no variable is named '{name}'")))?;
        let Some(Term { expression, file }) = &variable.default else {
            let message =
                format!("the variable '{name}' has no default; give it with --var {name}=VALUE");
            return Err(Mistake::at(origin, message));
        };
        self.guarded(&format!("var.{name}"), origin, |scope| {
            scope.evaluate(expression, *file, None)
        })
    }

    fn resource(
        &self,
        found: Option<&Resource>,
        kind: &str,
        label: &str,
        rest: &[&str],
        origin: &Origin,
    ) -> Result<(usize, Value), Mistake> {
        let address = format!("{kind}.{label}");
        let Some(found) = found else {
            return match (kind, rest) {
                (DATABASE, ["name", ..]) => {
                    let name = self.database.unwrap_or(label).to_owned();
                    self.assumed.borrow_mut().insert((address, name.clone()));
                    Ok((3, Value::from(name)))
                }
                _ => Err(Mistake::at(
                    origin,
                    format!("this depends on {address}, which is not in these files"),
                )),
            };
        };
        let instances = self.instances(found)?;
        match (rest.first(), instances.as_slice()) {
            (Some(attribute), [None]) => {
                let value = self.attribute(found, attribute, None, origin)?;
                Ok((3, value))
            }
            (_, instances) => {
                let mut all = Map::new();
                for iteration in instances.iter().flatten() {
                    let mut one = Map::new();
                    for attribute in found.body.attributes() {
                        let name = attribute.key.as_str();
                        if let Ok(value) = self.attribute(found, name, Some(iteration), origin) {
                            one.insert(name.to_owned(), value);
                        }
                    }
                    all.insert(iteration.key.clone(), Value::Object(one));
                }
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
        resource: &Resource,
        name: &str,
        iteration: Option<&Iteration>,
        origin: &Origin,
    ) -> Result<Value, Mistake> {
        let address = format!("{}.{name}", resource.address());
        let attribute = resource.attribute(name).ok_or_else(|| {
            let message = format!("{address} is known only after Terraform has run");
            Mistake::at(origin, message)
        })?;
        self.guarded(&address, origin, |scope| {
            scope.evaluate(&attribute.value, resource.file, iteration)
        })
    }

    /// The resources a block makes: itself, or one for each of its keys.
    pub(super) fn instances(&self, resource: &Resource) -> Result<Vec<Option<Iteration>>, Mistake> {
        let origin = |name| {
            let attribute = resource.attribute(name);
            attribute.map_or(resource.origin.clone(), |it| self.module.origin(resource.file, it))
        };
        if let Some(attribute) = resource.attribute("for_each") {
            let over = self.evaluate(&attribute.value, resource.file, None)?;
            let pairs: Vec<(String, Value)> = match over {
                Value::Object(map) => map.into_iter().collect(),
                Value::Array(list) => {
                    let keys = list.iter().map(|key| Ok((function::text_of(key)?, key.clone())));
                    let keys: Result<_, String> = keys.collect();
                    keys.map_err(|message| Mistake::at(&origin("for_each"), message))?
                }
                other => {
                    let message = format!("for_each goes over a map or a set, not over {other}");
                    return Err(Mistake::at(&origin("for_each"), message));
                }
            };
            return Ok(pairs.into_iter().map(|(key, value)| Some(each(key, value))).collect());
        }
        if let Some(attribute) = resource.attribute("count") {
            let count = self.evaluate(&attribute.value, resource.file, None)?;
            let count = count.as_number().and_then(hcl::Number::as_u64).ok_or_else(|| {
                Mistake::at(&origin("count"), format!("count is a whole number, not {count}"))
            })?;
            return Ok((0..count).map(|index| Some(counted(index))).collect());
        }
        Ok(vec![None])
    }

    /// Refuses to go in circles.
    fn guarded(
        &self,
        what: &str,
        origin: &Origin,
        follow: impl FnOnce(&Self) -> Result<Value, Mistake>,
    ) -> Result<Value, Mistake> {
        if self.busy.borrow().iter().any(|busy| busy == what) {
            return Err(Mistake::at(origin, format!("{what} depends on itself")));
        }
        self.busy.borrow_mut().push(what.to_owned());
        let value = follow(self);
        self.busy.borrow_mut().pop();
        value
    }
}

fn each(key: String, value: Value) -> Iteration {
    let mut each = Map::new();
    each.insert("key".to_owned(), Value::from(key.as_str()));
    each.insert("value".to_owned(), value);
    Iteration { root: "each", key, value: Value::Object(each) }
}

fn counted(index: u64) -> Iteration {
    let mut count = Map::new();
    count.insert("index".to_owned(), Value::from(index));
    Iteration { root: "count", key: index.to_string(), value: Value::Object(count) }
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
    if !matches!(slot, Value::Object(_)) {
        *slot = Value::Object(Map::new());
    }
    if let Value::Object(inner) = slot {
        let rest: Vec<&String> = rest.collect();
        insert(inner, rest.into_iter(), value);
    }
}

/// Collects what an expression names, and the names it binds itself.
#[derive(Default)]
struct References {
    found: Vec<Reference>,
    bound: BTreeSet<String>,
}

impl Visit for References {
    fn visit_traversal(&mut self, traversal: &Traversal) {
        if let Expression::Variable(root) = &traversal.expr {
            let mut path = vec![root.as_str().to_owned()];
            for operator in &traversal.operators {
                let TraversalOperator::GetAttr(name) = operator.value() else { break };
                path.push(name.as_str().to_owned());
            }
            let offset = traversal.span().map_or(0, |span| span.start);
            self.found.push(Reference { path, offset });
        }
        visit_traversal(self, traversal);
    }

    fn visit_for_intro(&mut self, intro: &ForIntro) {
        let names = [intro.key_var.as_ref(), Some(&intro.value_var)];
        self.bound.extend(names.into_iter().flatten().map(|name| name.as_str().to_owned()));
        visit_for_intro(self, intro);
    }
}
