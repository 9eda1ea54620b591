//! Files of the command as values, with refusals that name the file.

use std::path::Path;

use model::{ContainerProperties, IndexingPolicy, Json, ValidationError};

use crate::failure::Failure;

/// The text of a file.
pub(super) fn text(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| {
        Failure::new(format!("reading {}", path.display()), error.to_string())
            .way_out("give a file that exists and can be read")
    })
}

/// A file of JSON.
pub(super) fn json(path: &Path) -> Result<Json, Failure> {
    Json::parse(&text(path)?).map_err(|error| {
        Failure::new(format!("reading {}", path.display()), format!("it is not JSON: {error}"))
            .way_out("correct the text at that place")
    })
}

/// The indexing policy of a file that holds one, or of the container it holds.
pub(super) fn policy(path: &Path) -> Result<IndexingPolicy, Failure> {
    let json = json(path)?;
    let read = match json.get("indexingPolicy") {
        Some(_) => ContainerProperties::from_json(&json).map(|read| read.indexing_policy),
        None => IndexingPolicy::from_json(&json),
    };
    read.map_err(|invalid| refused(path, &invalid, "correct it; the service refuses it too"))
}

/// A file whose content breaks a rule.
pub(super) fn refused(path: &Path, invalid: &ValidationError, way_out: &str) -> Failure {
    let why = invalid.message().trim_end_matches('.');
    Failure::new(format!("reading {}", path.display()), why).way_out(way_out)
}
