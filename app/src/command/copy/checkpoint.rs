//! The checkpoint file of a copy.
//!
//! It is replaced atomically, and locked, so that two runs of the same copy do not interfere.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use service::copy::{Checkpoint, CheckpointStore};

use crate::error::CommandError;

/// A checkpoint file with its lock.
pub(crate) struct CheckpointFile {
    path: PathBuf,
    /// Held until the process ends; the operating system releases it even after a crash.
    _lock: File,
}

/// The default file name, derived from source and target.
pub(super) fn default_path(endpoints: &str) -> PathBuf {
    let hash = model::structural_hash(&model::Json::from(endpoints));
    PathBuf::from(format!("planisphere-copy-{:016x}.json", hash as u64))
}

impl CheckpointFile {
    /// Locks the file. With `restart`, deletes the checkpoint of an earlier run.
    pub(crate) fn open(path: PathBuf, restart: bool) -> Result<Self, CommandError> {
        let what = || format!("keeping the checkpoint {}", path.display());
        let failed = |error: io::Error| {
            CommandError::new(what(), error.to_string())
                .hint("choose another file with --checkpoint")
        };
        let lock = File::create(with_suffix(&path, ".lock")).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(CommandError::new(what(), "another copy uses it")
                    .hint("wait for that copy, or choose another file with --checkpoint"));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        if restart && path.exists() {
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
        checkpoint.map(Some).map_err(|error| format!("it is not a checkpoint: {error}"))
    }

    fn save(&self, checkpoint: &Checkpoint) -> Result<(), String> {
        let kept =
            serde_json::to_vec_pretty(checkpoint).map_err(io::Error::other).and_then(|text| {
                let new = with_suffix(&self.path, ".new");
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
        // Cosmetic: the lock matters, not the file.
        let _ = fs::remove_file(with_suffix(&self.path, ".lock"));
    }
}

fn with_suffix(path: &Path, ending: &str) -> PathBuf {
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
        let output = CheckpointFile::open(path.clone(), false).map(|_| ()).unwrap_err().to_string();
        assert!(output.contains("another copy uses it"), "{output}");
        drop(file);
        let file = CheckpointFile::open(path.clone(), true).unwrap();
        assert_eq!(file.load(), Ok(None));
        fs::write(&path, "{").unwrap();
        assert!(file.load().unwrap_err().starts_with("it is not a checkpoint"));
    }
}
