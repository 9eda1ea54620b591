//! The position of an import, in a file next to its input.
//!
//! Records before the position are in the container. Items are upserted, so those after it may be written twice.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::CommandError;

/// The position of an import.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ImportPosition {
    /// The target; the position of another import is rejected.
    pub(super) into: String,
    /// Length of the input when the import started.
    pub(super) bytes: u64,
    /// Number of records processed, including bad ones.
    pub(super) records: u64,
    /// Number of bad records among them.
    pub(super) bad: u64,
}

/// The file of a position.
pub(super) struct PositionFile {
    path: PathBuf,
}

impl PositionFile {
    pub(super) fn next_to(input: &Path) -> Self {
        let mut path = input.as_os_str().to_owned();
        path.push(".position");
        Self { path: path.into() }
    }

    /// The saved position, or the start if there is no file.
    pub(super) fn load(&self, new: ImportPosition) -> Result<ImportPosition, CommandError> {
        let text = match fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(new),
            Err(error) => return Err(self.refused(error.to_string())),
        };
        let kept: ImportPosition = serde_json::from_slice(&text)
            .map_err(|error| self.refused(format!("it is not a position: {error}")))?;
        if kept.into != new.into {
            return Err(self.refused(format!("it belongs to an import into {}", kept.into)));
        }
        if kept.bytes > new.bytes {
            return Err(self.refused("the input was longer when the position was saved".to_owned()));
        }
        Ok(kept)
    }

    pub(super) fn save(&self, position: &ImportPosition) -> Result<(), CommandError> {
        let mut new = self.path.as_os_str().to_owned();
        new.push(".new");
        let text = serde_json::to_vec(position).map_err(std::io::Error::other);
        let kept =
            text.and_then(|text| fs::write(&new, text)).and_then(|()| fs::rename(&new, &self.path));
        kept.map_err(|error| self.refused(error.to_string()))
    }

    /// Removes the file after a complete import.
    pub(super) fn remove(&self) {
        // If it remains, the next import only continues at its end.
        let _ = fs::remove_file(&self.path);
    }

    fn refused(&self, why: String) -> CommandError {
        CommandError::new(format!("using the position in {}", self.path.display()), why)
            .hint("delete the file, or omit --resume to start over")
    }
}
