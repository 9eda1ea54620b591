//! Reading a schema from files: the name decides which format they have.
//!
//! `.toml` is our own format, `.tf` and a folder are Terraform, `.json` is a template. Does not own the formats.

use std::path::Path;

#[cfg(not(feature = "terraform"))]
use super::no_terraform as terraform;
use super::parsed::{ParsedSchema, SchemaReadOptions};
#[cfg(feature = "terraform")]
use super::terraform;
use super::{arm, toml};
use crate::schema::declaration::Schema;
use crate::schema::location::{SchemaError, SchemaErrors, SourceFile};

impl Schema {
    /// Reads a file, or a folder of Terraform files.
    ///
    /// # Errors
    /// All errors in the files, each with its line.
    pub fn from_path(
        path: &Path,
        options: &SchemaReadOptions,
    ) -> Result<ParsedSchema, SchemaErrors> {
        if path.is_dir() {
            return terraform::read_folder(path, options);
        }
        Self::from_source(SourceFile::load(path)?, options)
    }

    /// Reads a text as if it was a file of this name.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn from_text(
        name: &str,
        text: &str,
        options: &SchemaReadOptions,
    ) -> Result<ParsedSchema, SchemaErrors> {
        let source = SourceFile { name: name.to_owned(), text: text.to_owned() };
        Self::from_source(source, options)
    }

    fn from_source(
        source: SourceFile,
        options: &SchemaReadOptions,
    ) -> Result<ParsedSchema, SchemaErrors> {
        match Path::new(&source.name).extension().and_then(|extension| extension.to_str()) {
            Some("toml") => toml::read(&source),
            Some("tf") => terraform::read_files(vec![source], options),
            Some("json") if source.name.ends_with(".tf.json") => Err(SchemaError::anywhere(
                format!("{} is Terraform in JSON, which is not read; give it as .tf", source.name),
            )
            .into()),
            Some("json") => arm::read(&source, options),
            Some("bicep") => Err(SchemaError::anywhere(format!(
                "{} is Bicep; compile it first: az bicep build --file {}",
                source.name, source.name
            ))
            .into()),
            _ => Err(SchemaError::anywhere(format!(
                "{} is of no known form; give a .toml, .tf or .json file, or a folder of .tf files",
                source.name
            ))
            .into()),
        }
    }

    /// Reads our own format from a text. Errors show `name` as the file.
    ///
    /// # Errors
    /// All errors in the text, each with its line.
    pub fn from_toml(name: &str, text: &str) -> Result<Self, SchemaErrors> {
        let source = SourceFile { name: name.to_owned(), text: text.to_owned() };
        toml::read(&source).map(|reading| reading.schema)
    }
}
