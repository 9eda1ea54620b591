//! Errors of the tree and the file system turned into errors of the store, with the path and what to do.
//!
//! Owns the texts. Does not own the decision to stop writing: the committer makes it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use storage::{Error, ErrorKind};

const NO_SPACE: &str = "there is no space left for its files; free some space and open it again";

/// The folder cannot be opened in its present state.
pub(crate) fn cannot_open(path: &Path, reason: &str) -> Error {
    Error::new(
        ErrorKind::CannotOpen,
        format!("cannot open the store at {}: {reason}", path.display()),
    )
}

/// A file of the folder could not be read or written while opening.
pub(crate) fn cannot_open_file(path: &Path, source: std::io::Error) -> Error {
    let reason = match source.kind() {
        std::io::ErrorKind::PermissionDenied => {
            "no permission to read and write it; change its owner or choose another folder"
        }
        std::io::ErrorKind::NotADirectory => "a part of this path is a file; choose a folder",
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::FileTooLarge => NO_SPACE,
        _ => "the file system reported an error",
    };
    cannot_open(path, reason).with_source(source)
}

/// A file of the folder is missing, damaged or older than the store.
pub(crate) fn damaged(path: &Path, what: &str) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!(
            "cannot open the store at {}: its files are damaged: {what}; \
             restore the folder from a backup",
            path.display()
        ),
    )
}

/// The tree could not be opened.
pub(crate) fn tree_did_not_open(path: &Path, source: TreeError) -> Error {
    match cause_of(&source) {
        TreeErrorCause::Locked => {
            cannot_open(path, "another process has it open; stop that process first")
        }
        TreeErrorCause::Version => cannot_open(
            path,
            "the files in lsm have another version; open them with the program that wrote them, \
             or restore the folder from a backup",
        ),
        // A file that the tree's manifest names but that is gone is damage, not a failing device.
        TreeErrorCause::Device if !is_missing_file(&source) => {
            let reason = if is_out_of_space(&source) {
                NO_SPACE
            } else {
                "the file system reported an error"
            };
            cannot_open(path, reason).with_source(source)
        }
        TreeErrorCause::Device | TreeErrorCause::Damaged => corrupt(path).with_source(source),
    }
}

/// A read failed.
pub(crate) fn read_failed(path: &Path, source: fjall::Error) -> Error {
    let source = TreeError::Returned(source);
    match cause_of(&source) {
        TreeErrorCause::Device => Error::new(
            ErrorKind::Device,
            format!("the device failed while reading the store at {}", path.display()),
        )
        .with_source(source),
        _ => corrupt(path).with_source(source),
    }
}

/// A batch or a sync failed: the error for its callers.
pub(crate) fn write_failed(path: &Path, reason: &str) -> Error {
    Error::new(
        ErrorKind::Device,
        format!(
            "a write to the store at {} failed and was not acknowledged ({reason}); \
             free space or repair the device, and the store will accept writes again",
            path.display()
        ),
    )
}

/// The error for all callers after a write has failed.
pub(crate) fn stopped(path: &Path, reason: &str) -> Error {
    Error::new(
        ErrorKind::Device,
        format!(
            "the store at {} stopped accepting writes after an earlier one failed ({reason}), \
             so this one was not acknowledged; free space or repair the device, \
             and it will accept writes again",
            path.display()
        ),
    )
}

/// Why a store does not accept writes, for operators.
pub(crate) fn write_failure_text(reason: &str) -> String {
    format!(
        "an earlier write failed ({reason}); \
         free space or repair the device, and the store will accept writes again"
    )
}

/// The tree is being opened again after a failed write.
pub(crate) fn recovering(path: &Path) -> Error {
    Error::new(
        ErrorKind::Device,
        format!(
            "the store at {} is being opened again after a failed write; \
             free space or repair the device, and repeat the call",
            path.display()
        ),
    )
}

/// A snapshot was taken before the tree was opened again.
pub(crate) fn snapshot_lost(path: &Path) -> Error {
    Error::new(
        ErrorKind::Device,
        format!(
            "the store at {} was opened again after a failed write, which ends its snapshots; \
             repeat the operation",
            path.display()
        ),
    )
}

/// The store is closed.
pub(crate) fn closed() -> Error {
    Error::new(ErrorKind::Closed, "the store is closed")
}

/// An error or a panic of the tree, which panics on some damaged files instead of returning an error.
#[derive(Debug)]
pub(crate) enum TreeError {
    Returned(fjall::Error),
    Panicked(String),
}

impl std::fmt::Display for TreeError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Returned(error) => error.fmt(formatter),
            Self::Panicked(text) => write!(formatter, "the tree panicked: {text}"),
        }
    }
}

/// Without a `source`: the tree's error prints its own sources.
impl std::error::Error for TreeError {}

/// Calls the tree and turns a panic into an error.
pub(crate) fn catch_panic<T>(call: impl FnOnce() -> fjall::Result<T>) -> Result<T, TreeError> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(TreeError::Returned),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(TreeError::Panicked(text.unwrap_or("no message").to_owned()))
        }
    }
}

enum TreeErrorCause {
    Locked,
    Version,
    Device,
    Damaged,
}

fn cause_of(error: &TreeError) -> TreeErrorCause {
    match error {
        TreeError::Returned(fjall::Error::Locked) => TreeErrorCause::Locked,
        TreeError::Returned(fjall::Error::InvalidVersion(_)) => TreeErrorCause::Version,
        // The tree poisons itself after a failed sync.
        TreeError::Returned(fjall::Error::Poisoned) => TreeErrorCause::Device,
        _ => match io_error(error).map(std::io::Error::kind) {
            // Reading a truncated or overwritten file fails with one of these kinds.
            None | Some(std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::InvalidData) => {
                TreeErrorCause::Damaged
            }
            Some(_) => TreeErrorCause::Device,
        },
    }
}

fn is_out_of_space(error: &TreeError) -> bool {
    use std::io::ErrorKind::{FileTooLarge, StorageFull};
    matches!(io_error(error).map(std::io::Error::kind), Some(FileTooLarge | StorageFull))
}

fn is_missing_file(error: &TreeError) -> bool {
    io_error(error).is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

fn io_error(error: &TreeError) -> Option<&std::io::Error> {
    match error {
        TreeError::Returned(
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
