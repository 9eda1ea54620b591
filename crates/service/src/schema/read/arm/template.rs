//! The resources of a template, also those nested in others and in modules.
//!
//! Owns parameters and their defaults, types and names put together from those around them. Does not own what a
//! database or container says: see `resource`.

use model::{Json, Object};

use super::expression::Scope;
use super::line::Lines;
use super::resource;
use crate::schema::origin::{Mistake, Mistakes, Source};
use crate::schema::read::gather::Gathering;
use crate::schema::read::options::load;
use crate::schema::read::{ReadOptions, Reading};

const DATABASE: &str = "microsoft.documentdb/databaseaccounts/sqldatabases";
const CONTAINER: &str = "microsoft.documentdb/databaseaccounts/sqldatabases/containers";
const DEPLOYMENT: &str = "microsoft.resources/deployments";

/// Reads a template.
pub(in super::super) fn read(source: &Source, options: &ReadOptions) -> Result<Reading, Mistakes> {
    let template = parse(source)?;
    let given = match &options.parameters {
        Some(path) => given(&load(path)?)?,
        None => Object::new(),
    };
    let lines = Lines::of(source);
    let mut reader = Reader { lines: &lines, gathering: Gathering::default() };
    if template.get("resources").is_none() {
        let message = "this is no template: it has no 'resources'";
        return Err(Mistake::at(&lines.origin(""), message).into());
    }
    reader.template(&template, given, "");
    reader.gathering.finish()
}

pub(super) struct Reader<'s> {
    pub(super) lines: &'s Lines<'s>,
    pub(super) gathering: Gathering,
}

/// A resource with where it stands and what it is part of.
pub(super) struct Found<'t> {
    pub(super) json: &'t Json,
    pub(super) way: String,
    /// Its type with those around it, in small letters.
    kind: String,
    /// Its name with those around it.
    pub(super) name: String,
}

impl Reader<'_> {
    fn template(&mut self, template: &Json, mut given: Object, way: &str) {
        let declared = template.get("parameters").and_then(Json::as_object);
        for (name, declaration) in declared.into_iter().flat_map(Object::iter) {
            if let (None, Some(default)) = (given.get(name), declaration.get("defaultValue")) {
                given.insert(name, default.clone());
            }
        }
        let variables = template.get("variables").and_then(Json::as_object).cloned();
        let scope = Scope::new(given, variables.unwrap_or_default());
        self.resources(&scope, template, way, None);
    }

    /// The resources below a template or a resource; a list, or an object of names.
    fn resources(&mut self, scope: &Scope, json: &Json, way: &str, outer: Option<&Found<'_>>) {
        let way = format!("{way}/resources");
        let inner: Vec<(String, &Json)> = match json.get("resources") {
            Some(Json::Array(list)) => {
                let numbered = list.iter().enumerate();
                numbered.map(|(number, one)| (format!("{way}/{number}"), one)).collect()
            }
            Some(Json::Object(named)) => {
                named.iter().map(|(name, one)| (format!("{way}/{name}"), one)).collect()
            }
            _ => Vec::new(),
        };
        for (way, json) in inner {
            if let Err(mistake) = self.resource(scope, json, &way, outer) {
                self.gathering.mistakes.push(mistake);
            }
        }
    }

    fn resource(
        &mut self,
        scope: &Scope,
        json: &Json,
        way: &str,
        outer: Option<&Found<'_>>,
    ) -> Result<(), Mistake> {
        let kind = json
            .get("type")
            .and_then(Json::as_str)
            .ok_or_else(|| Mistake::at(&self.lines.origin(way), "this resource has no 'type'"))?;
        let own_name = self.text(scope, json, way, "name")?;
        let is_whole = kind.contains("Microsoft.") || outer.is_none();
        let (kind, name) = match outer {
            Some(outer) if !is_whole => {
                (format!("{}/{kind}", outer.kind), format!("{}/{own_name}", outer.name))
            }
            _ => (kind.to_owned(), own_name),
        };
        let shown = kind.clone();
        let found = Found { json, way: way.to_owned(), kind: kind.to_ascii_lowercase(), name };
        if json.get("existing").and_then(Json::as_bool) == Some(true) {
            return Ok(());
        }
        match found.kind.as_str() {
            DATABASE | CONTAINER => {
                if !self.is_wanted(scope, &found)? {
                    return Ok(());
                }
                let is_database = found.kind == DATABASE;
                match is_database {
                    true => resource::database(self, scope, &found)?,
                    false => resource::container(self, scope, &found)?,
                }
            }
            DEPLOYMENT => return self.deployment(scope, &found),
            _ => {
                let origin = self.lines.origin(way);
                self.gathering.ignore(&origin, format!("resource {shown}"));
            }
        }
        self.resources(scope, json, way, Some(&found));
        Ok(())
    }

    /// A module: a template inside of a template.
    fn deployment(&mut self, scope: &Scope, found: &Found<'_>) -> Result<(), Mistake> {
        let properties = found.json.get("properties");
        let Some(template) = properties.and_then(|it| it.get("template")) else {
            let origin = self.lines.origin(&found.way);
            self.gathering.ignore(&origin, "a deployment whose template is not in this file");
            return Ok(());
        };
        let way = format!("{}/properties/template", found.way);
        let evaluated_in = properties
            .and_then(|it| it.get("expressionEvaluationOptions"))
            .and_then(|it| it.get("scope"))
            .and_then(Json::as_str);
        if !evaluated_in.is_some_and(|it| it.eq_ignore_ascii_case("inner")) {
            self.resources(scope, template, &way, None);
            return Ok(());
        }
        let passed = properties.and_then(|it| it.get("parameters")).and_then(Json::as_object);
        let mut given = Object::new();
        for (name, parameter) in passed.into_iter().flat_map(Object::iter) {
            let Some(value) = parameter.get("value") else { continue };
            let value = scope.evaluate(value).map_err(|why| self.at(&found.way, why))?;
            // What cannot be known outside is not known inside either.
            if scope.unknown(&value).is_none() {
                given.insert(name, value);
            }
        }
        self.template(template, given, &way);
        Ok(())
    }

    fn is_wanted(&self, scope: &Scope, found: &Found<'_>) -> Result<bool, Mistake> {
        if found.json.get("copy").is_some() {
            let message = "a 'copy' loop is not read; write its resources out".to_owned();
            return Err(self.at(&format!("{}/copy", found.way), message));
        }
        let Some(condition) = found.json.get("condition") else { return Ok(true) };
        let way = format!("{}/condition", found.way);
        let value = self.known(scope, condition, &way)?;
        value
            .as_bool()
            .ok_or_else(|| self.at(&way, format!("the condition is true or false, not {value}")))
    }

    fn text(&self, scope: &Scope, json: &Json, way: &str, name: &str) -> Result<String, Mistake> {
        let way = format!("{way}/{name}");
        let given = json
            .get(name)
            .ok_or_else(|| self.at(&way, format!("this resource has no '{name}'")))?;
        let value = scope.evaluate(given).map_err(|why| self.at(&way, why))?;
        match value.as_str() {
            Some(text) => Ok(text.to_owned()),
            None => {
                Err(self.at(&way, format!("the '{name}' of a resource is a text, not {value}")))
            }
        }
    }

    /// The value of an expression that must be known.
    pub(super) fn known(&self, scope: &Scope, json: &Json, way: &str) -> Result<Json, Mistake> {
        let value = scope.evaluate(json).map_err(|why| self.at(way, why))?;
        match scope.unknown(&value) {
            None => Ok(value),
            Some(why) => Err(self.at(way, why)),
        }
    }

    pub(super) fn at(&self, way: &str, message: String) -> Mistake {
        Mistake::at(&self.lines.origin(way), message)
    }
}

fn parse(source: &Source) -> Result<Json, Mistake> {
    Json::parse(source.text.as_bytes()).map_err(|error| {
        Mistake::at(&source.origin(error.offset), format!("this is no JSON: {}", error.reason))
    })
}

/// The values of a file of parameters.
fn given(source: &Source) -> Result<Object, Mistake> {
    let json = parse(source)?;
    let parameters = json.get("parameters").unwrap_or(&json);
    let mut given = Object::new();
    for (name, parameter) in parameters.as_object().into_iter().flat_map(Object::iter) {
        if let Some(value) = parameter.get("value") {
            given.insert(name, value.clone());
        }
    }
    Ok(given)
}
