//! The tree's journal, checked before the tree replays it.
//!
//! Owns the decision whether what cannot be read is the torn end of a commit that was never acknowledged, which is cut
//! off, or damage, which is refused. The tree decides by itself only whether a record is readable: it takes the first
//! one that is not for the end of a journal, even in the middle of one or with another journal behind it.

mod check;
mod record;
mod scan;
mod sealed;

pub(crate) use check::{KnownBatches, check_journals};
#[cfg(any(test, fuzzing))]
pub(crate) use record::check_journal;
pub(crate) use sealed::SealedJournals;
