//! Changes the indexing policy of messages: what to index is a trade of the charge of writes against that of reads.

use client::ContainerProperties;
use model::{CompositeIndex, CompositeOrder, CompositePath, IndexPath, IndexingPolicy};

use crate::containers::ChatContainers;
use crate::error::Result;

/// What is indexed of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageIndexing {
    /// All paths, as in the seed.
    Full,
    /// All paths but `readBy`: each reader adds an entry to the index that nobody asks for.
    WithoutReaders,
    /// All paths, and a composite index on room and time for filtered histories.
    Chronological,
}

/// A change of the policy.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexingChange {
    /// The policy before.
    pub from: IndexingPolicy,
    /// The policy after.
    pub to: IndexingPolicy,
}

/// Replaces the policy, or only says how it would change. The index is built anew in the background, which costs
/// throughput: do it in quiet hours.
///
/// # Errors
/// Those of the account.
pub async fn change_indexing(
    containers: &ChatContainers,
    indexing: MessageIndexing,
    applies: bool,
) -> Result<IndexingChange> {
    let found = containers.messages.read_properties().await?.value;
    let to = indexing.policy().map_err(client::Error::from)?;
    let change = IndexingChange { from: found.indexing_policy.clone(), to: to.clone() };
    if applies && change.from != change.to {
        let changed = ContainerProperties { indexing_policy: to, ..found };
        containers.messages.replace_properties(changed).await?;
    }
    Ok(change)
}

impl MessageIndexing {
    fn policy(self) -> model::Result<IndexingPolicy> {
        let mut policy = IndexingPolicy::default();
        match self {
            Self::Full => {}
            Self::WithoutReaders => policy.excluded.push(IndexPath::parse("/readBy/*")?),
            Self::Chronological => {
                let path = |path, order| {
                    Ok(CompositePath { path: IndexPath::parse_implied_scalar(path)?, order })
                };
                let paths = vec![
                    path("/roomName", CompositeOrder::Ascending)?,
                    path("/timestamp", CompositeOrder::Descending)?,
                ];
                policy.composite.push(CompositeIndex { paths });
            }
        }
        Ok(policy)
    }
}
