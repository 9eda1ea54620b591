//! What is asked of the partitions of a container, and carrying it out on a folder.
//!
//! The change has one form, the body that a server takes: see `docs/reference/partitions.md`.

use std::path::Path;

use engine::operation::{MergePartitions, SplitPartition};
use engine::{ContainerLink, Engine, EngineSettings};
#[cfg(feature = "connect")]
use model::Object;
use model::{EffectivePartitionKey, Json};

use crate::error::CommandError;
use crate::open::StoreFlags;

/// A split or a merge.
#[derive(Clone, Debug)]
pub(super) enum PartitionChange {
    Split { partition: u32, at: Option<EffectivePartitionKey> },
    Merge { partitions: (u32, u32) },
}

impl PartitionChange {
    /// The body of the request to a server.
    #[cfg(feature = "connect")]
    pub(super) fn body(&self) -> Json {
        let mut object = Object::new();
        match self {
            Self::Split { partition, at } => {
                object.insert("split", i64::from(*partition));
                if let Some(at) = at {
                    object.insert("at", at.to_string());
                }
            }
            Self::Merge { partitions: (left, right) } => {
                let numbers = [left, right].map(|number| Json::from(i64::from(*number)));
                object.insert("merge", numbers.to_vec());
            }
        }
        Json::Object(object)
    }

    async fn apply(self, engine: &Engine, container: ContainerLink) -> engine::Result<()> {
        match self {
            Self::Split { partition, at } => {
                let split = SplitPartition { container, partition, at };
                engine.split_partition(split).await?;
            }
            Self::Merge { partitions } => {
                engine.merge_partitions(MergePartitions { container, partitions }).await?;
            }
        }
        // Removes what was copied. A server does this in the background.
        engine.maintain_fully().await?;
        Ok(())
    }
}

/// Carries out a change on a folder, if there is one, and lists the partitions in the form of a server.
pub(super) async fn change_folder(
    folder: &Path,
    flags: &StoreFlags,
    container: &ContainerLink,
    change: Option<PartitionChange>,
) -> Result<Json, CommandError> {
    // Only what is asked: an engine with maintenance might split other partitions meanwhile.
    let settings = EngineSettings { maintenance: false, ..EngineSettings::default() };
    let engine = flags.open_existing(folder, settings).await?;
    let what = format!("the partitions of {container}");
    let outcome = async {
        if let Some(change) = change {
            change.apply(&engine, container.clone()).await?;
        }
        Ok(engine.list_partitions(container).await?.value)
    };
    let outcome: engine::Result<_> = outcome.await;
    // Closed in any case, so that the folder is complete when the error is printed.
    let closed = engine.close().await;
    let listed = outcome.and_then(|listed| closed.map(|()| listed));
    let listed = listed.map_err(|error| CommandError::from_error(what, &error))?;
    Ok(gateway::partitions_document(&listed))
}
