//! The checkpoint of a copy.
//!
//! Owns its content. Does not own where it is stored: the caller brings a [`CheckpointStore`].

use serde::{Deserialize, Serialize};

/// The position of a copy. Everything before it is in the target. The names are part of the stored format.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// Identifies the copy: source, target, partition key and transform. The checkpoint of another copy is refused.
    pub plan: String,
    /// The continuation token of the change feed of latest versions; `None` before the first page.
    pub continuation: Option<String>,
    /// The continuation token of the feed of all versions, if the source keeps them. Only this feed contains deletions.
    #[serde(default)]
    pub versions: Option<String>,
    /// Whether all latest versions are copied, so that only the feed of all versions is followed from now on.
    #[serde(default)]
    pub is_backfilled: bool,
    /// Number of items written so far, including repetitions.
    pub copied: u64,
    /// Number of items skipped because the target cannot hold them.
    pub refused: u64,
    /// Request units spent so far on both sides.
    pub request_units: f64,
}

/// Stores the checkpoint between two runs.
pub trait CheckpointStore: Send + Sync {
    /// The last saved checkpoint; `None` at the first run.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read and what to do.
    fn load(&self) -> Result<Option<Checkpoint>, String>;

    /// Replaces the checkpoint. When this returns, either the new one is durable or, on failure, an older one or none
    /// is left; never a damaged one.
    ///
    /// # Errors
    /// A sentence that says why it cannot be saved and what to do.
    fn save(&self, checkpoint: &Checkpoint) -> Result<(), String>;
}
