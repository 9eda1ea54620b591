//! The marker that identifies a folder as a store, and the steps that turn an empty folder into one.
//!
//! Owns the files `FORMAT` and `CREATING`. Does not own the bytes inside the tree: `FORMAT_VERSION` identifies their
//! layout.
//!
//! A folder is a store as soon as it contains `FORMAT`. A folder with `CREATING` and without `FORMAT` is the remains of
//! an interrupted creation. Nothing in it was ever acknowledged, so the creation starts again.
//!
//! ```text
//! creation:  CREATING synced ─► tree created ─► FORMAT.new synced ─► renamed to FORMAT ─► folder synced
//! crash in:  start again         start again      start again                             a store
//! ```
//!
//! Format 2 has a manifest and numbered batches. In format 3 the values of the tree are those of a newer engine, which
//! reads the older ones and replaces them. In format 4 recent entries of the buffered space are in the keyspace `runs`,
//! where an older program would not look for them. The files of 2, 3 and 4 are the same. A store in format 1 is opened
//! and receives manifest and numbers; it and those of format 2 and 3 become one of format 4 by the same step that ends
//! a creation, before anything is written that an older program would misread.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use storage::Result;

use crate::error::{cannot_open, cannot_open_file};
use crate::lock::LOCK_FILE;

const FORMAT: &str = "FORMAT";
const FORMAT_NEW: &str = "FORMAT.new";
const CREATING: &str = "CREATING";
const PRODUCT: &str = "planisphere";
const BACKEND: &str = "lsm";
/// The version of the layout on disk that this program reads and writes.
pub const FORMAT_VERSION: u32 = 4;
/// The oldest format with the same files.
const FORMAT_OF_OLDER_VALUES: u32 = 2;
/// The first format, which is upgraded when it is opened.
const FORMAT_WITHOUT_MANIFEST: u32 = 1;

/// What a folder contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolderState {
    /// Nothing, or the remains of an interrupted creation.
    Empty,
    /// A store in the present format.
    Store,
    /// A store in format 2 or 3, with the files of the present format.
    StoreOfOlderValues,
    /// A store in format 1, which has no manifest yet.
    StoreWithoutManifest,
}

/// Determines what the folder contains and refuses one that is not ours. Writes nothing.
pub(crate) fn inspect(folder: &Path) -> Result<FolderState> {
    let marker = folder.join(FORMAT);
    match fs::read(&marker) {
        Ok(bytes) => verify_marker(folder, &bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            refuse_foreign_files(folder)?;
            Ok(FolderState::Empty)
        }
        Err(error) => Err(cannot_open_file(&marker, error)),
    }
}

/// Marks a creation as started.
pub(crate) fn begin_creation(folder: &Path) -> Result<()> {
    let path = folder.join(CREATING);
    // Synced with its folder before anything else is created: a crash later must find the mark, or the remains look
    // foreign.
    let announced = File::create(&path).and_then(|file| file.sync_all());
    announced.and_then(|()| sync_folder(folder)).map_err(|error| cannot_open_file(&path, error))
}

/// Marks the folder as a store in the present format, in one step that survives a power cut.
pub(crate) fn finish_creation(folder: &Path) -> Result<()> {
    let marker = folder.join(FORMAT);
    write_marker(folder, &marker).map_err(|error| cannot_open_file(&marker, error))
}

/// Removes the mark of a started creation, if there is one.
pub(crate) fn remove_creation_mark(folder: &Path) {
    // Only `FORMAT` decides what the folder is, so it does no harm if the file cannot be removed.
    let _ = fs::remove_file(folder.join(CREATING));
}

fn write_marker(folder: &Path, marker: &Path) -> std::io::Result<()> {
    let text = format!("{PRODUCT}\nbackend {BACKEND}\nformat {FORMAT_VERSION}\n");
    // Written aside and renamed: a crash leaves the whole marker or none.
    let new = folder.join(FORMAT_NEW);
    let mut file = File::create(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, marker)?;
    sync_folder(folder)?;
    match folder.parent() {
        // A new folder is an entry of its parent, which must survive a power cut as well.
        Some(parent) if !parent.as_os_str().is_empty() => sync_folder(parent),
        _ => Ok(()),
    }
}

/// Makes the entries of a folder durable: a new or renamed file is one.
pub(crate) fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Makes the entries of a folder and of all folders in it durable.
pub(crate) fn sync_folders(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folders(&entry.path())?;
        }
    }
    sync_folder(folder)
}

fn verify_marker(folder: &Path, bytes: &[u8]) -> Result<FolderState> {
    let damaged = || {
        cannot_open(
            folder,
            "its file FORMAT is damaged or not ours; restore the folder from a backup, \
             or choose another folder",
        )
    };
    let text = std::str::from_utf8(bytes).map_err(|_| damaged())?;
    let mut lines = text.lines();
    if lines.next() != Some(PRODUCT) {
        return Err(damaged());
    }
    let backend = lines.next().and_then(|line| line.strip_prefix("backend "));
    let version = lines.next().and_then(|line| line.strip_prefix("format "));
    let version: Option<u32> = version.and_then(|number| number.parse().ok());
    match (backend, version) {
        (Some(BACKEND), Some(FORMAT_VERSION)) => Ok(FolderState::Store),
        (Some(BACKEND), Some(FORMAT_OF_OLDER_VALUES..FORMAT_VERSION)) => {
            Ok(FolderState::StoreOfOlderValues)
        }
        (Some(BACKEND), Some(FORMAT_WITHOUT_MANIFEST)) => Ok(FolderState::StoreWithoutManifest),
        // Before anything is opened: a newer layout could be damaged by reading it with the wrong eyes.
        (Some(BACKEND), Some(version)) if version > FORMAT_VERSION => Err(cannot_open(
            folder,
            &format!(
                "it was written in format version {version} by a newer version of the program, \
                 but this one supports {FORMAT_VERSION}; open it with the newer version"
            ),
        )),
        (Some(backend), Some(_)) if backend != BACKEND => Err(cannot_open(
            folder,
            &format!("it belongs to the backend {backend:?}; open it with that backend"),
        )),
        _ => Err(damaged()),
    }
}

fn refuse_foreign_files(folder: &Path) -> Result<()> {
    if folder.join(CREATING).exists() {
        return Ok(());
    }
    let entries = fs::read_dir(folder).map_err(|error| cannot_open_file(folder, error))?;
    for entry in entries {
        let entry = entry.map_err(|error| cannot_open_file(folder, error))?;
        // A lock file alone is what an earlier attempt to open leaves behind.
        if entry.file_name() != LOCK_FILE {
            return Err(cannot_open(
                folder,
                &format!(
                    "it is not empty (it contains {:?}) and has no file FORMAT, so it is not a store; \
                     choose an empty folder",
                    entry.file_name()
                ),
            ));
        }
    }
    Ok(())
}
