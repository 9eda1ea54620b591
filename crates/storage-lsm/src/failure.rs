//! From errors of the tree and the file system to errors of the store, with the path and what to do.
//!
//! Owns the sentences. Does not own the decision to stop writing: the committer takes it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use storage::{Error, ErrorKind};

const NO_ROOM: &str = "there is no room for its files; free some space and open again";

/// The folder cannot be opened as it is.
pub(crate) fn cannot_open(path: &Path, what: &str) -> Error {
    Error::new(
        ErrorKind::CannotOpen,
        format!("cannot open the store at {}: {what}", path.display()),
    )
}

/// A file of the folder could not be read or written while opening.
pub(crate) fn cannot_open_file(path: &Path, source: std::io::Error) -> Error {
    let what = match source.kind() {
        std::io::ErrorKind::PermissionDenied => {
            "no permission to read and write here; change the owner or choose another folder"
        }
        std::io::ErrorKind::NotADirectory => "this path leads through a file; choose a folder",
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::FileTooLarge => NO_ROOM,
        _ => "the file system refused",
    };
    cannot_open(path, what).with_source(source)
}

/// The tree did not open.
pub(crate) fn tree_did_not_open(path: &Path, source: TreeError) -> Error {
    match cause(&source) {
        Cause::Locked => cannot_open(path, "another process has it open; stop that process first"),
        Cause::Version => cannot_open(
            path,
            "the tree's files are of another version; open them with the program that wrote them",
        ),
        Cause::Device if !is_missing_file(&source) => {
            let what = if is_out_of_room(&source) { NO_ROOM } else { "the file system refused" };
            cannot_open(path, what).with_source(source)
        }
        Cause::Device | Cause::Contradiction => corrupt(path).with_source(source),
    }
}

/// A read failed.
pub(crate) fn read_failed(path: &Path, source: fjall::Error) -> Error {
    let source = TreeError::Reported(source);
    match cause(&source) {
        Cause::Device => Error::new(
            ErrorKind::Device,
            format!("the device failed while reading the store at {}", path.display()),
        )
        .with_source(source),
        _ => corrupt(path).with_source(source),
    }
}

/// A batch or a sync failed: what its callers are told.
pub(crate) fn write_failed(path: &Path, reason: &str) -> Error {
    Error::new(
        ErrorKind::Device,
        format!(
            "a write to the store at {} failed and was not acknowledged ({reason}); \
             free space or repair the device, then open the store again",
            path.display()
        ),
    )
}

/// What callers are told after a write has failed.
pub(crate) fn stopped(path: &Path, reason: &str) -> Error {
    Error::new(
        ErrorKind::Device,
        format!(
            "the store at {} stopped accepting writes after an earlier one failed ({reason}), \
             so this one was not acknowledged; free space or repair the device, \
             then open it again",
            path.display()
        ),
    )
}

/// The store is closed.
pub(crate) fn closed() -> Error {
    Error::new(ErrorKind::Closed, "the store is closed")
}

/// An error or a panic of the tree. It asserts on some broken files instead of returning an error.
#[derive(Debug)]
pub(crate) enum TreeError {
    Reported(fjall::Error),
    Panicked(String),
}

impl std::fmt::Display for TreeError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Reported(error) => error.fmt(formatter),
            Self::Panicked(text) => write!(formatter, "the tree gave up: {text}"),
        }
    }
}

impl std::error::Error for TreeError {}

/// Runs a call of the tree and turns a panic into an error.
pub(crate) fn guarded<T>(call: impl FnOnce() -> fjall::Result<T>) -> Result<T, TreeError> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(outcome) => outcome.map_err(TreeError::Reported),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(TreeError::Panicked(text.unwrap_or("without a reason").to_owned()))
        }
    }
}

enum Cause {
    Locked,
    Version,
    Device,
    Contradiction,
}

fn cause(error: &TreeError) -> Cause {
    match error {
        TreeError::Reported(fjall::Error::Locked) => Cause::Locked,
        TreeError::Reported(fjall::Error::InvalidVersion(_)) => Cause::Version,
        TreeError::Reported(fjall::Error::Poisoned) => Cause::Device,
        _ => match io_error(error).map(std::io::Error::kind) {
            // Files that end early or hold nonsense are read as these kinds.
            None | Some(std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::InvalidData) => {
                Cause::Contradiction
            }
            Some(_) => Cause::Device,
        },
    }
}

fn is_out_of_room(error: &TreeError) -> bool {
    use std::io::ErrorKind::{FileTooLarge, StorageFull};
    matches!(io_error(error).map(std::io::Error::kind), Some(FileTooLarge | StorageFull))
}

fn is_missing_file(error: &TreeError) -> bool {
    io_error(error).is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

fn io_error(error: &TreeError) -> Option<&std::io::Error> {
    match error {
        TreeError::Reported(
            fjall::Error::Io(error) | fjall::Error::Storage(fjall::LsmError::Io(error)),
        ) => Some(error),
        _ => None,
    }
}

fn corrupt(path: &Path) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!(
            "the files of the store at {} are damaged; restore the folder from a backup",
            path.display()
        ),
    )
}
