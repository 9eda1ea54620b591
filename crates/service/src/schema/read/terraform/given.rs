//! Values of variables that come from outside: files of values, and values on the command line.
//!
//! Owns how a text becomes a value of the declared type. Does not own defaults: see `scope`.

use std::collections::BTreeMap;
use std::path::Path;

use hcl::Value;
use hcl::eval::{Context, Evaluate};

use super::module::{Module, parse_body};
use crate::schema::origin::{Mistake, Source};
use crate::schema::read::ReadOptions;
use crate::schema::read::gather::Gathering;
use crate::schema::read::options::load;

/// Files that Terraform reads by itself, in its order.
pub(super) fn automatic_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut names: Vec<_> = entries(folder)
        .into_iter()
        .filter(|path| path.to_string_lossy().ends_with(".auto.tfvars"))
        .collect();
    names.sort();
    let first = folder.join("terraform.tfvars");
    if first.exists() {
        names.insert(0, first);
    }
    names
}

/// The files of a folder, by name.
pub(super) fn entries(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|one| one.path())).collect();
    paths.sort();
    paths
}

/// The values of variables, the last given of a name.
pub(super) fn values(
    module: &Module,
    automatic: &[std::path::PathBuf],
    options: &ReadOptions,
    gathering: &mut Gathering,
) -> BTreeMap<String, Value> {
    let mut values = BTreeMap::new();
    for path in automatic.iter().chain(&options.variable_files) {
        let Some(source) = gathering.keep(load(path)) else { continue };
        let found = gathering.keep(of_file(&source)).unwrap_or_default();
        for (name, value) in found {
            if !module.variables.contains_key(&name) {
                let what = format!("{}: no variable is named '{name}'", source.name);
                gathering.note(None, what);
            }
            values.insert(name, value);
        }
    }
    for (name, text) in &options.variables {
        match module.variables.get(name) {
            Some(variable) => {
                let value = of_text(name, text, variable.kind.as_deref());
                if let Some(value) = gathering.keep(value) {
                    values.insert(name.clone(), value);
                }
            }
            None => {
                let known: Vec<&str> = module.variables.keys().map(String::as_str).collect();
                gathering.mistakes.push(Mistake::anywhere(format!(
                    "no variable is named '{name}'; the files declare: {}",
                    known.join(", ")
                )));
            }
        }
    }
    values
}

fn of_file(source: &Source) -> Result<Vec<(String, Value)>, Mistake> {
    let body = parse_body(source)?;
    let attributes = body.attributes().map(|attribute| {
        let name = attribute.key.as_str().to_owned();
        let expression = hcl::Expression::from(attribute.value.clone());
        let value = expression.evaluate(&Context::new()).map_err(|error| {
            let message = format!("{}: the value of '{name}': {error}", source.name);
            Mistake::anywhere(message)
        })?;
        Ok((name, value))
    });
    attributes.collect()
}

/// A text for a variable: taken as it is for a text, read as HCL for what has parts.
fn of_text(name: &str, text: &str, kind: Option<&str>) -> Result<Value, Mistake> {
    let refused = |expected: &str| {
        Mistake::anywhere(format!("the variable '{name}' is a {expected}, not '{text}'"))
    };
    match kind {
        None | Some("string" | "any") => Ok(Value::from(text)),
        Some("bool") => text.parse::<bool>().map(Value::from).map_err(|_| refused("bool")),
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
