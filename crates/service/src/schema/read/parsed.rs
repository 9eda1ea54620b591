//! What reading files returns, and its options.

use std::fmt;
use std::path::PathBuf;

use crate::schema::declaration::Schema;
use crate::schema::location::SourceLocation;

/// A schema read from files, with notes for the user.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedSchema {
    /// The schema that the files declare.
    pub schema: Schema,
    /// Declarations in the files that are not part of a schema.
    pub ignored: Vec<SchemaNote>,
    /// Assumptions and omissions that the user should know about.
    pub notes: Vec<SchemaNote>,
}

/// A remark about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaNote {
    /// The location, if it belongs to a file.
    pub location: Option<SourceLocation>,
    /// The text.
    pub what: String,
}

/// Options for reading files.
#[derive(Clone, Debug, Default)]
pub struct SchemaReadOptions {
    /// Values of Terraform variables, as name and text. The last value of a name wins.
    pub variables: Vec<(String, String)>,
    /// Files with values of Terraform variables; `variables` wins over them.
    pub variable_files: Vec<PathBuf>,
    /// A file with the parameters of a template.
    pub parameters: Option<PathBuf>,
    /// The name of a database that the files refer to but do not declare.
    pub database: Option<String>,
    /// Whether parts that cannot be read are left out with a note. Otherwise they are errors, because they may declare
    /// containers.
    pub allow_unread: bool,
}

impl fmt::Display for SchemaNote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Some(location) => write!(formatter, "{location}: {}", self.what),
            None => formatter.write_str(&self.what),
        }
    }
}
