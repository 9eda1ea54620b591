//! Terraform files in a build without the feature `terraform`: they are refused by name.

use std::path::Path;

use super::parsed::{ParsedSchema, SchemaReadOptions};
use crate::schema::location::{SchemaError, SchemaErrors, SourceFile};

pub(super) fn read_folder(
    folder: &Path,
    _options: &SchemaReadOptions,
) -> Result<ParsedSchema, SchemaErrors> {
    Err(refuse(&folder.display().to_string()))
}

pub(super) fn read_files(
    files: Vec<SourceFile>,
    _options: &SchemaReadOptions,
) -> Result<ParsedSchema, SchemaErrors> {
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    Err(refuse(&names.join(", ")))
}

fn refuse(name: &str) -> SchemaErrors {
    SchemaError::anywhere(format!(
        "{name} is Terraform, which this program was built without; build it with the feature 'terraform'"
    ))
    .into()
}
