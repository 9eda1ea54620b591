//! Recent entries of the buffered space, in front of the tree.
//!
//! Owns the sorted runs in memory, their records in the keyspace `runs`, reading them together with the tree, and
//! writing them into the tree as tables. Does not own the order of batches: see `commit`.

mod buffer;
mod ingestion;
mod merge;
mod record;
mod run;

pub(crate) use buffer::{BufferView, PendingRun, RunBuffer};
pub(crate) use ingestion::Ingester;
pub(crate) use merge::{MergedRuns, in_direction};
#[cfg(any(test, fuzzing))]
pub(crate) use record::check_run_record;
pub(crate) use record::{decode_run, encode_run};
pub(crate) use run::{RunBuilder, SortedRun};
