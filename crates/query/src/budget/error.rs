//! Why a budget refuses.
//!
//! Owns the reasons. Does not own their texts: `evaluate` reports them, in `EvaluationError::Budget`.

use super::Interruption;

/// Why evaluation must stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetError {
    /// More bytes than the query may hold.
    HeldBytes {
        /// The limit in bytes.
        bytes_max: usize,
    },
    /// The governor grants no more.
    Interrupted(Interruption),
    /// A regular expression is longer than the limit, or compiles to more than the limit.
    PatternTooLarge {
        /// The limit on its text in bytes.
        bytes_max: usize,
    },
    /// A regular expression is too complex for the text that it is matched with.
    MatchTooLarge {
        /// The length of the text in bytes.
        text_bytes: usize,
    },
    /// A row has more text than a row may have.
    RowTooLarge {
        /// The limit in bytes.
        bytes_max: usize,
    },
}
