//! The resources of a template, including those nested in others and in modules.
//!
//! Owns parameters and their defaults, and the full types and names of nested resources. Does not own the properties of
//! databases and containers: see `resource`.

use model::{Json, Object};

use super::expression::TemplateScope;
use super::json_locations::JsonLocations;
use super::reader::{TemplateReader, TemplateResource};
use super::resource;
use super::script;
use crate::schema::location::{SchemaError, SchemaErrors, SourceFile};
use crate::schema::read::builder::SchemaBuilder;
use crate::schema::read::parsed::{ParsedSchema, SchemaReadOptions};

const DATABASE: &str = "microsoft.documentdb/databaseaccounts/sqldatabases";
const CONTAINER: &str = "microsoft.documentdb/databaseaccounts/sqldatabases/containers";
const PROCEDURE: &str =
    "microsoft.documentdb/databaseaccounts/sqldatabases/containers/storedprocedures";
const TRIGGER: &str = "microsoft.documentdb/databaseaccounts/sqldatabases/containers/triggers";
const FUNCTION: &str =
    "microsoft.documentdb/databaseaccounts/sqldatabases/containers/userdefinedfunctions";
const DEPLOYMENT: &str = "microsoft.resources/deployments";
/// Templates that link to each other more deeply are taken for a cycle.
const LINKS_MAX: usize = 8;

/// Reads a template.
pub(in super::super) fn read(
    source: &SourceFile,
    options: &SchemaReadOptions,
) -> Result<ParsedSchema, SchemaErrors> {
    let template = parse(source)?;
    let given = match &options.parameters {
        Some(path) => parameter_values(&SourceFile::load(path)?)?,
        None => Object::new(),
    };
    let builder = SchemaBuilder::new(options);
    read_template(source, &template, given, builder, 0).finish()
}

/// Reads one file into the builder, and the files that it links to.
fn read_template(
    source: &SourceFile,
    template: &Json,
    given: Object,
    builder: SchemaBuilder,
    depth: usize,
) -> SchemaBuilder {
    let lines = JsonLocations::new(source);
    let mut reader = TemplateReader { lines: &lines, source, builder, depth };
    if template.get("resources").is_none() {
        let message = "this is no template: it has no 'resources'";
        reader.builder.errors.push(SchemaError::at(&lines.location(""), message));
        return reader.builder;
    }
    reader.template(template, given, "");
    reader.builder
}

impl TemplateReader<'_> {
    fn template(&mut self, template: &Json, mut given: Object, pointer: &str) {
        let declared = template.get("parameters").and_then(Json::as_object);
        for (name, declaration) in declared.into_iter().flat_map(Object::iter) {
            if let (None, Some(default)) = (given.get(name), declaration.get("defaultValue")) {
                given.insert(name, default.clone());
            }
        }
        let mut variables = template.get("variables").and_then(Json::as_object).cloned();
        // Variables that are lists made by loops stand under one name of their own.
        let loops = variables.as_mut().and_then(|variables| variables.remove("copy"));
        let mut scope = TemplateScope::new(given, variables.unwrap_or_default());
        for each in loops.as_ref().and_then(Json::as_array).unwrap_or_default() {
            let name = each.get("name").and_then(Json::as_str).unwrap_or_default();
            match scope.list(each) {
                Ok(list) => {
                    scope.variables.insert(name, list);
                }
                Err(why) => {
                    let error = self.at(&format!("{pointer}/variables/copy"), why);
                    self.builder.errors.push(error);
                }
            }
        }
        self.resources(&scope, template, pointer, None);
    }

    /// Reads the resources below a template or a resource: a list, or an object by name.
    fn resources(
        &mut self,
        scope: &TemplateScope,
        json: &Json,
        pointer: &str,
        outer: Option<&TemplateResource<'_>>,
    ) {
        let pointer = format!("{pointer}/resources");
        let inner: Vec<(String, &Json)> = match json.get("resources") {
            Some(Json::Array(list)) => {
                let numbered = list.iter().enumerate();
                numbered.map(|(number, one)| (format!("{pointer}/{number}"), one)).collect()
            }
            Some(Json::Object(named)) => {
                named.iter().map(|(name, one)| (format!("{pointer}/{name}"), one)).collect()
            }
            _ => Vec::new(),
        };
        for (pointer, json) in inner {
            if let Err(error) = self.repeated(scope, json, &pointer, outer) {
                self.builder.errors.push(error);
            }
        }
    }

    /// Reads a resource as often as its loop says.
    fn repeated(
        &mut self,
        scope: &TemplateScope,
        json: &Json,
        pointer: &str,
        outer: Option<&TemplateResource<'_>>,
    ) -> Result<(), SchemaError> {
        let Some(each) = json.get("copy") else {
            return self.resource(scope, json, pointer, outer);
        };
        let kind = json.get("type").and_then(Json::as_str).unwrap_or_default();
        // The loop of a resource that is no part of a schema may depend on what is unknown here.
        let is_ours = |kind: &str| {
            let kind = kind.to_ascii_lowercase();
            kind.contains("sqldatabases") || kind == DEPLOYMENT || !kind.contains('.')
        };
        if !is_ours(kind) {
            return self.resource(scope, json, pointer, outer);
        }
        let count = scope.count(each).map_err(|why| self.at(&format!("{pointer}/copy"), why))?;
        let name = each.get("name").and_then(Json::as_str).unwrap_or_default();
        for index in 0..count {
            scope.within(name, index, || self.resource(scope, json, pointer, outer))?;
        }
        Ok(())
    }

    fn resource(
        &mut self,
        scope: &TemplateScope,
        json: &Json,
        pointer: &str,
        outer: Option<&TemplateResource<'_>>,
    ) -> Result<(), SchemaError> {
        let kind = json.get("type").and_then(Json::as_str).ok_or_else(|| {
            SchemaError::at(&self.lines.location(pointer), "this resource has no 'type'")
        })?;
        let own_name = self.text(scope, json, pointer, "name")?;
        // A nested resource gives only the last part of its type and name; at the top both are complete.
        let is_whole = kind.contains("Microsoft.") || outer.is_none();
        let (kind, name) = match outer {
            Some(outer) if !is_whole => {
                (format!("{}/{kind}", outer.kind), format!("{}/{own_name}", outer.name))
            }
            _ => (kind.to_owned(), own_name),
        };
        let shown = kind.clone();
        let found = TemplateResource {
            json,
            pointer: pointer.to_owned(),
            kind: kind.to_ascii_lowercase(),
            name,
        };
        // Bicep refers to such a resource and does not deploy it.
        if json.get("existing").and_then(Json::as_bool) == Some(true) {
            return Ok(());
        }
        match found.kind.as_str() {
            kind @ (DATABASE | CONTAINER | PROCEDURE | TRIGGER | FUNCTION) => {
                if !self.evaluate_condition(scope, &found)? {
                    return Ok(());
                }
                match kind {
                    DATABASE => resource::database(self, scope, &found)?,
                    CONTAINER => resource::container(self, scope, &found)?,
                    PROCEDURE => script::procedure(self, scope, &found)?,
                    TRIGGER => script::trigger(self, scope, &found)?,
                    _ => script::function(self, scope, &found)?,
                }
            }
            DEPLOYMENT => return self.deployment(scope, &found),
            _ => {
                let location = self.lines.location(pointer);
                self.builder.ignore(&location, format!("resource {shown}"));
            }
        }
        self.resources(scope, json, pointer, Some(&found));
        Ok(())
    }

    /// Reads a module: a template inside of a template.
    fn deployment(
        &mut self,
        scope: &TemplateScope,
        found: &TemplateResource<'_>,
    ) -> Result<(), SchemaError> {
        let properties = found.json.get("properties");
        if !self.evaluate_condition(scope, found)? {
            return Ok(());
        }
        let Some(template) = properties.and_then(|it| it.get("template")) else {
            return self.linked(scope, found);
        };
        let pointer = format!("{}/properties/template", found.pointer);
        let evaluated_in = properties
            .and_then(|it| it.get("expressionEvaluationOptions"))
            .and_then(|it| it.get("scope"))
            .and_then(Json::as_str);
        if !evaluated_in.is_some_and(|it| it.eq_ignore_ascii_case("inner")) {
            // By default an inner template sees the parameters of the outer one.
            self.resources(scope, template, &pointer, None);
            return Ok(());
        }
        let given = self.passed_parameters(scope, found)?;
        self.template(template, given, &pointer);
        Ok(())
    }

    /// The parameters that a deployment passes to its template.
    fn passed_parameters(
        &self,
        scope: &TemplateScope,
        found: &TemplateResource<'_>,
    ) -> Result<Object, SchemaError> {
        let passed = found.json.get("properties").and_then(|it| it.get("parameters"));
        let mut given = Object::new();
        for (name, parameter) in passed.and_then(Json::as_object).into_iter().flat_map(Object::iter)
        {
            let Some(value) = parameter.get("value") else { continue };
            let value = scope.evaluate(value).map_err(|why| self.at(&found.pointer, why))?;
            // A value that is unknown outside is unknown inside too.
            if scope.unknown_reason(&value).is_none() {
                given.insert(name, value);
            }
        }
        Ok(given)
    }

    /// Reads a template in another file, which is named relative to this one.
    fn linked(
        &mut self,
        scope: &TemplateScope,
        found: &TemplateResource<'_>,
    ) -> Result<(), SchemaError> {
        let properties = found.json.get("properties");
        let relative = |link: &str| {
            let link = properties.and_then(|it| it.get(link))?;
            let path = scope.evaluate(link.get("relativePath")?).ok()?;
            let path = path.as_str().filter(|_| scope.unknown_reason(&path).is_none())?;
            Some(self.source.beside(path))
        };
        let location = self.lines.location(&found.pointer);
        let Some(path) = relative("templateLink") else {
            let what =
                "a deployment whose template is neither in this file nor named by a relative path";
            self.builder.unread(&location, what);
            return Ok(());
        };
        if self.depth >= LINKS_MAX {
            return Err(self.at(&found.pointer, "linked templates go in circles".to_owned()));
        }
        let mut given = match relative("parametersLink") {
            Some(file) => parameter_values(&SourceFile::load(&file)?)?,
            None => Object::new(),
        };
        for (name, value) in self.passed_parameters(scope, found)?.iter() {
            given.insert(name, value.clone());
        }
        let source = match SourceFile::load(&path) {
            Ok(source) => source,
            Err(error) => {
                self.builder.unread(&location, format!("a linked template: {}", error.message));
                return Ok(());
            }
        };
        let template = parse(&source)?;
        let builder = std::mem::take(&mut self.builder);
        self.builder = read_template(&source, &template, given, builder, self.depth + 1);
        Ok(())
    }

    fn evaluate_condition(
        &self,
        scope: &TemplateScope,
        found: &TemplateResource<'_>,
    ) -> Result<bool, SchemaError> {
        let Some(condition) = found.json.get("condition") else { return Ok(true) };
        let pointer = format!("{}/condition", found.pointer);
        let value = self.known(scope, condition, &pointer)?;
        value.as_bool().ok_or_else(|| {
            self.at(&pointer, format!("the condition is true or false, not {value}"))
        })
    }

    fn text(
        &self,
        scope: &TemplateScope,
        json: &Json,
        pointer: &str,
        name: &str,
    ) -> Result<String, SchemaError> {
        let pointer = format!("{pointer}/{name}");
        let given = json
            .get(name)
            .ok_or_else(|| self.at(&pointer, format!("this resource has no '{name}'")))?;
        let value = scope.evaluate(given).map_err(|why| self.at(&pointer, why))?;
        match value.as_str() {
            Some(text) => Ok(text.to_owned()),
            None => {
                Err(self.at(&pointer, format!("the '{name}' of a resource is a text, not {value}")))
            }
        }
    }
}

fn parse(source: &SourceFile) -> Result<Json, SchemaError> {
    Json::parse(source.text.as_bytes()).map_err(|error| {
        SchemaError::at(
            &source.location(error.offset),
            format!("this is no JSON: {}", error.reason),
        )
    })
}

/// The values in a parameters file.
fn parameter_values(source: &SourceFile) -> Result<Object, SchemaError> {
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
