//! How far a copy has come, and which copy it was.
//!
//! Owns what is remembered. Does not own where: the caller keeps it.

use serde::{Deserialize, Serialize};

/// The position of a copy. Everything up to it is in the target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// Which copy this is: source, target, new partition key and transform. A position of another copy is refused.
    pub plan: String,
    /// Where the change feed of the source goes on; none before the first page.
    pub continuation: Option<String>,
    /// Where the feed of all versions goes on, if the source keeps them: only there deletions are told.
    #[serde(default)]
    pub versions: Option<String>,
    /// Whether the newest versions are all copied, so that only `versions` is followed from now on.
    #[serde(default)]
    pub is_backfilled: bool,
    /// Items written so far, repetitions included.
    pub copied: u64,
    /// Items left out because they have no place in the target.
    pub refused: u64,
    /// Request units spent so far on both sides.
    pub request_units: f64,
}

/// Where a checkpoint is kept between two runs.
pub trait Checkpoints: Send + Sync {
    /// The last one kept; none at the first run.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read and what to do.
    fn load(&self) -> Result<Option<Checkpoint>, String>;

    /// Keeps one, in place of the last. It must be durable, or gone, when this returns.
    ///
    /// # Errors
    /// A sentence that says why it cannot be kept and what to do.
    fn keep(&self, checkpoint: &Checkpoint) -> Result<(), String>;
}
