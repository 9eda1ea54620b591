//! The checkpoint of a copy in a file.
//!
//! Owns its name, and that it is whole whenever it is there: it is written beside and put in its place. Only one
//! process uses it at a time, so that no two copies of the same kind run against each other.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use service::copy::{Checkpoint, CheckpointStore};

use crate::failure::Failure;

/// A file, and the right to use it.
pub(super) struct CheckpointFile {
    path: PathBuf,
    /// Held until the process ends; the system lets it go then, however it ends.
    _lock: File,
}

/// The name of the file when none is given: the same for the same two containers.
pub(super) fn default_path(sides: &str) -> PathBuf {
    let hash = model::structural_hash(&model::Json::from(sides));
    PathBuf::from(format!("planisphere-copy-{:016x}.json", hash as u64))
}

impl CheckpointFile {
    /// Takes the file for this process; with `anew`, what an earlier run left is thrown away.
    pub(super) fn open(path: PathBuf, anew: bool) -> Result<Self, Failure> {
        let what = || format!("keeping the checkpoint {}", path.display());
        let failed = |error: io::Error| {
            Failure::new(what(), error.to_string()).way_out("choose another file with --checkpoint")
        };
        let lock = File::create(beside(&path, ".lock")).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::new(what(), "another copy uses it")
                    .way_out("wait for that copy, or choose another file with --checkpoint"));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        if anew && path.exists() {
            fs::remove_file(&path).map_err(failed)?;
        }
        Ok(Self { path, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl CheckpointStore for CheckpointFile {
    fn load(&self) -> Result<Option<Checkpoint>, String> {
        let text = match fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let checkpoint = serde_json::from_slice(&text);
        checkpoint.map(Some).map_err(|error| format!("it is no checkpoint: {error}"))
    }

    fn save(&self, checkpoint: &Checkpoint) -> Result<(), String> {
        let kept =
            serde_json::to_vec_pretty(checkpoint).map_err(io::Error::other).and_then(|text| {
                let new = beside(&self.path, ".new");
                let mut file = File::create(&new)?;
                file.write_all(&text)?;
                file.sync_all()?;
                fs::rename(&new, &self.path)
            });
        kept.map_err(|error| error.to_string())
    }
}

impl Drop for CheckpointFile {
    fn drop(&mut self) {
        // Only for tidiness: the lock is what counts, not the file.
        let _ = fs::remove_file(beside(&self.path, ".lock"));
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_loaded_and_one_process_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("at.json");
        let file = CheckpointFile::open(path.clone(), false).unwrap();
        assert_eq!(file.load(), Ok(None));
        let one = Checkpoint { plan: "p".to_owned(), copied: 7, ..Checkpoint::default() };
        file.save(&one).unwrap();
        assert_eq!(file.load(), Ok(Some(one)));
        let told = CheckpointFile::open(path.clone(), false).map(|_| ()).unwrap_err().to_string();
        assert!(told.contains("another copy uses it"), "{told}");
        drop(file);
        let file = CheckpointFile::open(path.clone(), true).unwrap();
        assert_eq!(file.load(), Ok(None));
        fs::write(&path, "{").unwrap();
        assert!(file.load().unwrap_err().starts_with("it is no checkpoint"));
    }
}
