//! Errors of a copy, by what the caller can do about them.

use std::fmt;

use super::RejectedItems;

/// Why a copy stopped.
#[derive(Debug)]
pub enum CopyError {
    /// The plan is invalid; nothing was written. The sentence says what to change.
    Plan(String),
    /// The target cannot hold some items; everything before the first of them was copied.
    Rejected(RejectedItems),
    /// The checkpoint cannot be loaded or saved, or belongs to another copy.
    Checkpoint(String),
    /// A call failed, after retries. Run the copy again: it continues at its checkpoint.
    Call {
        /// What was being done.
        what: String,
        /// Why it failed.
        error: client::Error,
    },
}

impl CopyError {
    pub(super) fn call(what: impl Into<String>) -> impl FnOnce(client::Error) -> Self {
        let what = what.into();
        move |error| Self::Call { what, error }
    }
}

impl fmt::Display for CopyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(sentence) | Self::Checkpoint(sentence) => formatter.write_str(sentence),
            Self::Rejected(refused) => refused.fmt(formatter),
            Self::Call { what, error } => write!(formatter, "{what}: {error}"),
        }
    }
}

impl std::error::Error for CopyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Call { error, .. } => Some(error),
            Self::Plan(_) | Self::Rejected(_) | Self::Checkpoint(_) => None,
        }
    }
}
