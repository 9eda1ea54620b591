//! Time travel: the items of a container at a second of the past, and the versions of one item.
//!
//! `snapshot` reads the state of a container, `versions` follows one item back. Both read what the retention of
//! versions has kept, and change nothing.

mod snapshot;
mod versions;

pub use snapshot::SnapshotAt;
pub use versions::{ItemVersion, ItemVersions};
