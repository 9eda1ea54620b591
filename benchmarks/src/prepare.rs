//! The data set on disk: the engine's store, a copy for the raw side, and the tape of its commits.
//!
//! The folders are removed at the end of a run. The store is loaded by a child process, so that its memory can be
//! measured separately.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::Result;
use crate::child::{ChildNumbers, ChildTask, spawn};
use crate::progress;
use crate::run::Options;

/// A loaded data set.
pub(crate) struct PreparedStores {
    folder: TempDir,
    /// What the loading process measured about itself.
    pub(crate) loading: ChildNumbers,
}

impl PreparedStores {
    pub(crate) fn new(options: &Options) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("benchmarks").tempdir()?;
        let path = folder.path();
        let store = path.join("store");
        let tape = path.join("tape");
        let loading = spawn(&options.program, ChildTask::Load, &store, options.items, Some(&tape))?;
        let prepared = Self { folder, loading: loading.measured("loading the data set")? };
        progress::step("copying the store");
        copy_folder(&prepared.store(), &prepared.copy())?;
        Ok(prepared)
    }

    /// The folder the engine opens.
    pub(crate) fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// The same bytes, for the raw side.
    pub(crate) fn copy(&self) -> PathBuf {
        self.folder.path().join("copy")
    }

    /// Every commit of the loading.
    pub(crate) fn tape(&self) -> PathBuf {
        self.folder.path().join("tape")
    }

    /// A folder for one round; it goes when dropped.
    pub(crate) fn scratch(&self) -> Result<TempDir> {
        Ok(tempfile::Builder::new().prefix("round").tempdir_in(self.folder.path())?)
    }
}

/// Copies a folder with everything in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
