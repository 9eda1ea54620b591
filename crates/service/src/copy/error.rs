//! Why a copy stopped, by what the caller can do about it.

use std::fmt;

use super::RefusedItems;

/// A copy that stopped. The list is closed.
#[derive(Debug)]
pub enum CopyError {
    /// The plan makes no sense; nothing was written. The sentence says what to change.
    Plan(String),
    /// Items that have no place in the target; everything before the first of them was copied.
    Refused(RefusedItems),
    /// The checkpoint cannot be read, kept, or belongs to another copy.
    Checkpoint(String),
    /// A call failed, retries included. Run the copy again: it goes on at its checkpoint.
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
            Self::Refused(refused) => refused.fmt(formatter),
            Self::Call { what, error } => write!(formatter, "{what}: {error}"),
        }
    }
}

impl std::error::Error for CopyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Call { error, .. } => Some(error),
            Self::Plan(_) | Self::Refused(_) | Self::Checkpoint(_) => None,
        }
    }
}
