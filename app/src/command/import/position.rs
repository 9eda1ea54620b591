//! How far an import has come, in a file beside its input.
//!
//! Owns the file. Records up to the position are in the container; items are upserted, so those behind it may be
//! written twice and nothing is lost.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// The position of an import.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Position {
    /// Where the items go: a position of another import is refused.
    pub(super) into: String,
    /// Bytes of the input when the import began.
    pub(super) bytes: u64,
    /// Records that are done, bad ones included.
    pub(super) records: u64,
    /// Bad records among them.
    pub(super) bad: u64,
}

/// The file of a position.
pub(super) struct PositionFile {
    path: PathBuf,
}

impl PositionFile {
    pub(super) fn beside(input: &Path) -> Self {
        let mut path = input.as_os_str().to_owned();
        path.push(".position");
        Self { path: path.into() }
    }

    /// Where to go on; the beginning when there is no file.
    pub(super) fn load(&self, new: Position) -> Result<Position, Failure> {
        let text = match fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(new),
            Err(error) => return Err(self.refused(error.to_string())),
        };
        let kept: Position = serde_json::from_slice(&text)
            .map_err(|error| self.refused(format!("it is no position: {error}")))?;
        if kept.into != new.into {
            return Err(self.refused(format!("it belongs to an import into {}", kept.into)));
        }
        if kept.bytes > new.bytes {
            return Err(self.refused("the input was longer when it was kept".to_owned()));
        }
        Ok(kept)
    }

    pub(super) fn keep(&self, position: &Position) -> Result<(), Failure> {
        let mut new = self.path.as_os_str().to_owned();
        new.push(".new");
        let text = serde_json::to_vec(position).map_err(std::io::Error::other);
        let kept =
            text.and_then(|text| fs::write(&new, text)).and_then(|()| fs::rename(&new, &self.path));
        kept.map_err(|error| self.refused(error.to_string()))
    }

    /// The import is done.
    pub(super) fn remove(&self) {
        // A file that stays only lets the next import go on at its end.
        let _ = fs::remove_file(&self.path);
    }

    fn refused(&self, why: String) -> Failure {
        Failure::new(format!("keeping the position in {}", self.path.display()), why)
            .way_out("remove the file, or leave out --resume to begin anew")
    }
}
