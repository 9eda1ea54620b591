//! Source files, locations in them, and errors.
//!
//! Owns how errors of files are reported: all at once, each with its file and line.

use std::fmt;
use std::path::{Path, PathBuf};

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLocation {
    /// The file, as the user named it.
    pub file: String,
    /// The line, starting with 1.
    pub line: usize,
}

/// One error in a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SchemaError {
    /// The location, if the error belongs to a line.
    pub location: Option<SourceLocation>,
    /// What is wrong, with the value and what is allowed.
    pub message: String,
}

/// All errors of the files, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaErrors(pub Vec<SchemaError>);

impl SchemaError {
    pub(super) fn at(location: &SourceLocation, message: impl Into<String>) -> Self {
        Self { location: Some(location.clone()), message: message.into() }
    }

    pub(super) fn anywhere(message: impl Into<String>) -> Self {
        Self { location: None, message: message.into() }
    }
}

impl From<SchemaError> for SchemaErrors {
    fn from(error: SchemaError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Some(location) => write!(formatter, "{location}: {}", self.message),
            None => formatter.write_str(&self.message),
        }
    }
}

impl fmt::Display for SchemaErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, error) in self.0.iter().enumerate() {
            if number > 0 {
                formatter.write_str("\n")?;
            }
            error.fmt(formatter)?;
        }
        Ok(())
    }
}

impl std::error::Error for SchemaErrors {}

/// The text of a file, with its name.
#[derive(Clone, Debug)]
pub(super) struct SourceFile {
    pub(super) name: String,
    pub(super) text: String,
}

impl SourceFile {
    /// Reads a file.
    pub(super) fn load(path: &Path) -> Result<Self, SchemaError> {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Self { name, text }),
            Err(error) => Err(SchemaError::anywhere(format!("{name} cannot be read: {error}"))),
        }
    }

    /// The path of a file that this one names.
    pub(super) fn beside(&self, relative: &str) -> PathBuf {
        Path::new(&self.name).parent().unwrap_or(Path::new("")).join(relative)
    }

    /// The location of a byte offset.
    pub(super) fn location(&self, offset: usize) -> SourceLocation {
        // `take` also accepts an offset beyond the end, as a parser may report for missing text.
        let before = self.text.as_bytes().iter().take(offset);
        let line = 1 + before.filter(|byte| **byte == b'\n').count();
        SourceLocation { file: self.name.clone(), line }
    }
}
