//! Values of variables from outside: files, and the command line.
//!
//! Owns parsing a text as a value of the declared type. Does not own defaults: see `scope`.

use std::collections::BTreeMap;
use std::path::Path;

use hcl::Value;
use hcl::eval::{Context, Evaluate};

use super::module::{TerraformModule, entries, parse_body};
use crate::schema::location::{SchemaError, SourceFile};
use crate::schema::read::builder::SchemaBuilder;
use crate::schema::read::parsed::SchemaReadOptions;

/// The files with values that Terraform reads by default, in its order.
pub(super) fn automatic_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut names: Vec<_> = entries(folder)
        .into_iter()
        .filter(|path| {
            let name = path.to_string_lossy();
            name.ends_with(".auto.tfvars") || name.ends_with(".auto.tfvars.json")
        })
        .collect();
    names.sort();
    // First, because later files override them, as in Terraform.
    for first in ["terraform.tfvars.json", "terraform.tfvars"] {
        let first = folder.join(first);
        if first.exists() {
            names.insert(0, first);
        }
    }
    names
}

/// The values of all variables. The last value of a name wins.
pub(super) fn values(
    module: &TerraformModule,
    automatic: &[std::path::PathBuf],
    options: &SchemaReadOptions,
    builder: &mut SchemaBuilder,
) -> BTreeMap<String, Value> {
    let mut values = BTreeMap::new();
    for path in automatic.iter().chain(&options.variable_files) {
        let Some(source) = builder.keep(SourceFile::load(path)) else { continue };
        let found = builder.keep(read_values(&source)).unwrap_or_default();
        for (name, value) in found {
            // Only a note, unlike on the command line: Terraform, too, warns of unknown names in files and refuses
            // them as flags.
            if !module.variables.contains_key(&name) {
                let what = format!("{}: no variable is named '{name}'", source.name);
                builder.note(None, what);
            }
            values.insert(name, value);
        }
    }
    for (name, text) in &options.variables {
        match module.variables.get(name) {
            Some(variable) => {
                let value = parse_value(name, text, variable.kind.as_deref());
                if let Some(value) = builder.keep(value) {
                    values.insert(name.clone(), value);
                }
            }
            None => {
                let known: Vec<&str> = module.variables.keys().map(String::as_str).collect();
                builder.errors.push(SchemaError::anywhere(format!(
                    "no variable is named '{name}'; the files declare: {}",
                    known.join(", ")
                )));
            }
        }
    }
    values
}

fn read_values(source: &SourceFile) -> Result<Vec<(String, Value)>, SchemaError> {
    if source.name.ends_with(".json") {
        let values = serde_json::from_str::<hcl::Map<String, Value>>(&source.text);
        let values = values.map_err(|error| {
            SchemaError::anywhere(format!("{} is no object of values: {error}", source.name))
        })?;
        return Ok(values.into_iter().collect());
    }
    let body = parse_body(source)?;
    let attributes = body.attributes().map(|attribute| {
        let name = attribute.key.as_str().to_owned();
        let expression = hcl::Expression::from(attribute.value.clone());
        let value = expression.evaluate(&Context::new()).map_err(|error| {
            let message = format!("{}: the value of '{name}': {error}", source.name);
            SchemaError::anywhere(message)
        })?;
        Ok((name, value))
    });
    attributes.collect()
}

/// Parses a text for a variable: as it is for a string, as HCL for a list or map.
fn parse_value(name: &str, text: &str, kind: Option<&str>) -> Result<Value, SchemaError> {
    let refused = |expected: &str| {
        SchemaError::anywhere(format!("the variable '{name}' is a {expected}, not '{text}'"))
    };
    match kind {
        None | Some("string" | "any") => Ok(Value::from(text)),
        Some("bool") => text.parse::<bool>().map(Value::from).map_err(|_| refused("bool")),
        // As an integer first: throughput must not become a float.
        Some("number") => match text.parse::<i64>() {
            Ok(number) => Ok(Value::from(number)),
            Err(_) => text.parse::<f64>().map(Value::from).map_err(|_| refused("number")),
        },
        Some(_) => {
            let expression =
                hcl::edit::parser::parse_expr(text).map_err(|_| refused("list or map"))?;
            let expression = hcl::Expression::from(expression);
            expression.evaluate(&Context::new()).map_err(|_| refused("list or map"))
        }
    }
}
