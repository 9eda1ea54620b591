//! The folder of a benchmark, which is left as it was.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::CommandError;

/// A folder that was missing or empty before the benchmark.
#[derive(Debug)]
pub(crate) struct BenchFolder {
    path: PathBuf,
    existed: bool,
}

impl BenchFolder {
    /// Rejects a folder that is not empty.
    pub(crate) fn claim(path: &Path) -> Result<Self, CommandError> {
        let existed = path.exists();
        let is_not_empty = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
        if is_not_empty {
            let what = format!("using {} for a benchmark", path.display());
            return Err(CommandError::new(what, "it is not empty").hint(
                "choose a missing or empty folder with --data, or remove this one if it is left \
                 over from an earlier benchmark",
            ));
        }
        // The store rejects a file or an unreadable folder with a message of its own.
        Ok(Self { path: path.to_owned(), existed })
    }

    /// Restores the state before the benchmark.
    pub(crate) fn remove(&self) -> Result<(), CommandError> {
        if !self.path.is_dir() {
            return Ok(());
        }
        let removed = if self.existed {
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
            CommandError::new(format!("removing {}", self.path.display()), error.to_string())
                .hint("remove the folder by hand")
        })
    }
}
