//! Whether the files of a store are the ones it wrote: nothing missing, nothing damaged, nothing older.
//!
//! Owns the checks before the tree opens its files, and the manifest that names them. The tree repairs silently what it
//! takes for the remains of a crash: it deletes a keyspace without its `current` file and every table that no version
//! names, and it cuts its journal at the first record it cannot read. So these checks come first. Does not own reading
//! keys: the tree verifies a checksum for every block it reads.

mod journal;
mod manifest;
mod tree_files;

#[cfg(any(test, fuzzing))]
pub(crate) use journal::check_journal;
pub(crate) use journal::{KnownBatches, SealedJournals, check_journals};
pub(crate) use manifest::KeyspaceManifest;
#[cfg(any(test, fuzzing))]
pub(crate) use manifest::check_manifest;
pub use tree_files::VerifiedFiles;
pub(crate) use tree_files::{FileChecker, KEYSPACES_FOLDER};
