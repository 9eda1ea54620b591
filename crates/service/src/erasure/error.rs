//! Errors of an erasure or an export.

use std::fmt;

/// Why an erasure or an export failed, by what the caller can do about it.
#[derive(Debug)]
pub enum ErasureError {
    /// A data call failed. Call again to continue.
    Data(client::Error),
    /// Something keeps writing items of the subject. Stop it, then call again.
    StillWritten {
        /// The registered name of the container.
        container: String,
        /// Number of items found after everything was deleted.
        remaining: u64,
    },
}

impl fmt::Display for ErasureError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(error) => error.fmt(formatter),
            Self::StillWritten { container, remaining } => write!(
                formatter,
                "'{container}' has {remaining} new items of the subject after every round; stop what writes them and \
                 erase again"
            ),
        }
    }
}

impl std::error::Error for ErasureError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Data(error) => Some(error),
            Self::StillWritten { .. } => None,
        }
    }
}

impl From<client::Error> for ErasureError {
    fn from(error: client::Error) -> Self {
        Self::Data(error)
    }
}
