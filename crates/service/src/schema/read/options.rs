//! From files to a schema: which form they have, and what goes with it.
//!
//! Owns the choice by name: `.toml` is ours, `.tf` and a folder are Terraform, `.json` is a template. Does not own the
//! forms.

use std::path::{Path, PathBuf};

use super::{Found, arm, terraform, toml};
use crate::schema::declaration::Schema;
use crate::schema::origin::{Mistake, Mistakes, Source};

/// What was read: the schema, and what is worth telling about the files.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What the files declare.
    pub schema: Schema,
    /// What is in the files and is no part of it.
    pub ignored: Vec<Found>,
    /// What was understood in a way worth saying.
    pub notes: Vec<Found>,
}

/// What goes with the files.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Values of Terraform variables, as `name` and text; the last of a name holds.
    pub variables: Vec<(String, String)>,
    /// Files with values of Terraform variables, read before `variables`.
    pub variable_files: Vec<PathBuf>,
    /// A file with the parameters of a template.
    pub parameters: Option<PathBuf>,
    /// The name of a database that the files refer to but do not declare.
    pub database: Option<String>,
}

impl Schema {
    /// Reads a file, or a folder of Terraform files.
    ///
    /// # Errors
    /// All mistakes in them, each with its line.
    pub fn from_path(path: &Path, options: &ReadOptions) -> Result<Reading, Mistakes> {
        if path.is_dir() {
            return terraform::read_folder(path, options);
        }
        let source = load(path)?;
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => toml::read(&source),
            Some("tf") => terraform::read_files(vec![source], options),
            Some("json") if source.name.ends_with(".tf.json") => Err(Mistake::anywhere(format!(
                "{} is Terraform in JSON, which is not read; give it as .tf",
                source.name
            ))
            .into()),
            Some("json") => arm::read(&source, options),
            Some("bicep") => Err(Mistake::anywhere(format!(
                "{} is Bicep; compile it first: az bicep build --file {}",
                source.name, source.name
            ))
            .into()),
            _ => Err(Mistake::anywhere(format!(
                "{} is of no known form; give a .toml, .tf or .json file, or a folder of .tf files",
                source.name
            ))
            .into()),
        }
    }

    /// Reads our own form from a text; `name` is what mistakes are told under.
    ///
    /// # Errors
    /// All mistakes in it, each with its line.
    pub fn from_toml(name: &str, text: &str) -> Result<Self, Mistakes> {
        let source = Source { name: name.to_owned(), text: text.to_owned() };
        toml::read(&source).map(|reading| reading.schema)
    }
}

pub(super) fn load(path: &Path) -> Result<Source, Mistake> {
    let name = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Source { name, text }),
        Err(error) => Err(Mistake::anywhere(format!("{name} cannot be read: {error}"))),
    }
}
