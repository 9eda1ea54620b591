//! Reads the files of the command.

use std::path::Path;

use model::{ContainerProperties, IndexingPolicy, Json, ValidationError};

use crate::error::CommandError;

/// The text of a file.
pub(super) fn text(path: &Path) -> Result<Vec<u8>, CommandError> {
    std::fs::read(path).map_err(|error| {
        CommandError::new(format!("reading {}", path.display()), error.to_string())
            .hint("give a file that exists and can be read")
    })
}

/// A file of JSON.
pub(super) fn json(path: &Path) -> Result<Json, CommandError> {
    Json::parse(&text(path)?).map_err(|error| {
        CommandError::new(format!("reading {}", path.display()), format!("it is not JSON: {error}"))
            .hint("correct the file at that position")
    })
}

/// Reads an indexing policy, or that of a container.
pub(super) fn policy(path: &Path) -> Result<IndexingPolicy, CommandError> {
    let json = json(path)?;
    let read = match json.get("indexingPolicy") {
        Some(_) => ContainerProperties::from_json(&json).map(|read| read.indexing_policy),
        None => IndexingPolicy::from_json(&json),
    };
    read.map_err(|invalid| invalid_file(path, &invalid, "correct it; the service refuses it too"))
}

/// A file whose content is not valid.
pub(super) fn invalid_file(path: &Path, invalid: &ValidationError, hint: &str) -> CommandError {
    let why = invalid.message().trim_end_matches('.');
    CommandError::new(format!("reading {}", path.display()), why).hint(hint)
}
