//! The folder a benchmark may use: missing or empty before, as it was afterwards.
//!
//! Owns the promise that nothing of the user is removed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// A folder that was missing or empty when it was claimed.
#[derive(Debug)]
pub(crate) struct BenchFolder {
    path: PathBuf,
    was_there: bool,
}

impl BenchFolder {
    /// Refuses a folder that holds anything.
    pub(crate) fn claim(path: &Path) -> Result<Self, Failure> {
        let was_there = path.exists();
        let holds_something = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
        if holds_something {
            let what = format!("using {} for a benchmark", path.display());
            return Err(Failure::new(what, "it is not empty").way_out(
                "choose a missing or empty folder with --data, or remove this one if it is left \
                 over from an earlier benchmark",
            ));
        }
        // A file, or a folder that cannot be read, is refused by the store with its own sentence.
        Ok(Self { path: path.to_owned(), was_there })
    }

    /// Leaves the place as it was.
    pub(crate) fn remove(&self) -> Result<(), Failure> {
        if !self.path.is_dir() {
            return Ok(());
        }
        let removed = if self.was_there {
            fs::read_dir(&self.path).and_then(|mut entries| {
                entries.try_for_each(|entry| {
                    let path = entry?.path();
                    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
                })
            })
        } else {
            fs::remove_dir_all(&self.path)
        };
        removed.map_err(|error| {
            Failure::new(format!("removing {}", self.path.display()), error.to_string())
                .way_out("remove the folder by hand")
        })
    }
}
