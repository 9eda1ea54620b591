//! The marker that says what a folder is, and the care with which a folder becomes a store.
//!
//! Owns the files `FORMAT` and `CREATING`. Does not own the bytes inside the tree: the format version names them.
//!
//! A folder is a store from the moment `FORMAT` is in it. While `CREATING` is there and `FORMAT` is not, a creation was
//! interrupted and nothing was ever acknowledged, so it may be started again.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use storage::Result;

use crate::failure::{cannot_open, cannot_open_file};
use crate::lock::LOCK;

const FORMAT: &str = "FORMAT";
const FORMAT_NEW: &str = "FORMAT.new";
const CREATING: &str = "CREATING";
const PRODUCT: &str = "planisphere";
const BACKEND: &str = "lsm";
/// Number of the layout on disk that this version writes and reads.
pub const FORMAT_VERSION: u32 = 1;

/// What a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Folder {
    /// Nothing of anybody, or the start of an interrupted creation.
    New,
    /// A store of a format this program knows.
    Store,
}

/// Tells what the folder is and refuses one that is not ours. Writes nothing.
pub(crate) fn recognise(folder: &Path) -> Result<Folder> {
    let marker = folder.join(FORMAT);
    match fs::read(&marker) {
        Ok(bytes) => verify_marker(folder, &bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            refuse_foreign(folder)?;
            Ok(Folder::New)
        }
        Err(error) => Err(cannot_open_file(&marker, error)),
    }
}

/// Announces a creation; a folder left in this state is started again.
pub(crate) fn begin_creation(folder: &Path) -> Result<()> {
    let path = folder.join(CREATING);
    let announced = File::create(&path).and_then(|file| file.sync_all());
    announced.and_then(|()| sync_folder(folder)).map_err(|error| cannot_open_file(&path, error))
}

/// Makes the folder a store, in one step that survives a power cut.
pub(crate) fn finish_creation(folder: &Path) -> Result<()> {
    let marker = folder.join(FORMAT);
    write_marker(folder, &marker).map_err(|error| cannot_open_file(&marker, error))
}

/// Removes what a finished creation left over; harmless when there is nothing.
pub(crate) fn forget_creation(folder: &Path) {
    // Only `FORMAT` decides what the folder is, so a leftover that cannot be removed does no harm.
    let _ = fs::remove_file(folder.join(CREATING));
}

fn write_marker(folder: &Path, marker: &Path) -> std::io::Result<()> {
    let text = format!("{PRODUCT}\nbackend {BACKEND}\nformat {FORMAT_VERSION}\n");
    let new = folder.join(FORMAT_NEW);
    let mut file = File::create(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, marker)?;
    sync_folder(folder)?;
    match folder.parent() {
        // The folder's own name must survive as well.
        Some(parent) if !parent.as_os_str().is_empty() => sync_folder(parent),
        _ => Ok(()),
    }
}

fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn verify_marker(folder: &Path, bytes: &[u8]) -> Result<Folder> {
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
        (Some(BACKEND), Some(FORMAT_VERSION)) => Ok(Folder::Store),
        (Some(BACKEND), Some(version)) if version > FORMAT_VERSION => Err(cannot_open(
            folder,
            &format!(
                "it was written in format version {version} by a newer version of the program, \
                 and this one knows {FORMAT_VERSION}; open it with the newer version"
            ),
        )),
        (Some(backend), Some(_)) if backend != BACKEND => Err(cannot_open(
            folder,
            &format!("it belongs to the backend {backend:?}; open it with that backend"),
        )),
        _ => Err(damaged()),
    }
}

fn refuse_foreign(folder: &Path) -> Result<()> {
    if folder.join(CREATING).exists() {
        return Ok(());
    }
    let entries = fs::read_dir(folder).map_err(|error| cannot_open_file(folder, error))?;
    for entry in entries {
        let entry = entry.map_err(|error| cannot_open_file(folder, error))?;
        if entry.file_name() != LOCK {
            return Err(cannot_open(
                folder,
                &format!(
                    "it is not empty (it holds {:?}) and has no file FORMAT, so it is not a store; \
                     choose an empty folder",
                    entry.file_name()
                ),
            ));
        }
    }
    Ok(())
}
