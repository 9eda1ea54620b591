//! Items in the order of creation.
//!
//! `source` reads one physical partition after the other, `part` merges what is read of one by ordinal, and `run`
//! divides lookups into runs of terms that are in that order by themselves.

mod part;
mod run;
mod source;

pub(super) use run::divide;
pub(in crate::query) use source::CreationOrderSource;
