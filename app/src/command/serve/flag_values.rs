//! Values of flags that are words.
//!
//! Owns which words there are. Does not own the flags: see `run.rs`.

use clap::ValueEnum;
use gateway::CrossPartition;
use model::ConsistencyLevel;

/// What happens to queries over several partitions whose results must be merged.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum CrossPartitionPolicy {
    /// Reject them with a query plan, as Azure does; clients merge the results
    Strict,
    /// Merge the results and return them
    Generous,
}

impl From<CrossPartitionPolicy> for CrossPartition {
    fn from(policy: CrossPartitionPolicy) -> Self {
        match policy {
            CrossPartitionPolicy::Strict => Self::Strict,
            CrossPartitionPolicy::Generous => Self::Generous,
        }
    }
}

pub(super) fn consistency(word: &str) -> Result<ConsistencyLevel, String> {
    ConsistencyLevel::parse(word).map_err(|invalid| invalid.message().to_owned())
}
