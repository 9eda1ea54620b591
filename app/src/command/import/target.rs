//! The target container of an import: created if it does not exist, then written to.

use client::{Container, ContainerProperties, ErrorKind, Json, PartitionKeyDefinition};
use serde_json::value::RawValue;
use tokio::task::JoinSet;

use crate::error::CommandError;

/// Concurrent upserts; the store syncs them in groups.
const CONCURRENT_WRITES: usize = 64;

#[derive(Clone)]
pub(super) struct ImportTarget {
    container: Container,
    key: PartitionKeyDefinition,
}

/// A record that is not an item, or that the account rejects.
#[derive(Debug)]
pub(super) struct BadLine {
    pub(super) line: u64,
    pub(super) why: String,
}

/// The result of one upsert.
enum LineResult {
    Done,
    Refused(BadLine),
}

impl ImportTarget {
    /// Opens the container. Creates it if it does not exist and its properties or its partition key are known.
    pub(super) async fn open(
        container: Container,
        described: Option<&Json>,
        key: Option<PartitionKeyDefinition>,
    ) -> Result<Self, CommandError> {
        let what = || format!("importing into {}", container.path());
        let failed = |error| {
            CommandError::from_error(what(), &error)
                .or_hint("correct the names, or give --partition-key to create the container")
        };
        let existing = match container.read_properties().await {
            Ok(answer) => Some(answer.value),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        let refused = |why: &str| {
            CommandError::new(what(), why)
                .hint("correct the names, or give --partition-key to create the container")
        };
        let properties = match (existing, described, key) {
            (Some(existing), _, Some(key)) if existing.partition_key.paths() != key.paths() => {
                return Err(refused("it exists with another partition key"));
            }
            (Some(existing), ..) => existing,
            (None, Some(described), None) => {
                let mut properties =
                    ContainerProperties::from_json(described).map_err(|invalid| {
                        CommandError::new(what(), invalid.message().trim_end_matches('.'))
                            .hint("correct the first line of the file")
                    })?;
                // The file may come from a container of another name; the command line decides.
                properties.id = container.properties(properties.partition_key.clone()).id;
                create(&container, properties).await.map_err(failed)?
            }
            (None, _, Some(key)) => {
                create(&container, container.properties(key)).await.map_err(failed)?
            }
            (None, None, None) => return Err(refused("the container does not exist")),
        };
        Ok(Self { container, key: properties.partition_key })
    }

    pub(super) fn path(&self) -> String {
        self.container.path()
    }

    /// Upserts items concurrently; returns those the account rejects.
    pub(super) async fn write(
        &self,
        items: Vec<(u64, Json)>,
    ) -> Result<Vec<BadLine>, CommandError> {
        let mut running = JoinSet::new();
        let mut bad = Vec::new();
        for (line, item) in items {
            if running.len() >= CONCURRENT_WRITES {
                finish_one(&mut running, &mut bad).await?;
            }
            running.spawn(self.clone().upsert(line, item));
        }
        while !running.is_empty() {
            finish_one(&mut running, &mut bad).await?;
        }
        // Writes end in any order.
        bad.sort_by_key(|bad| bad.line);
        Ok(bad)
    }

    async fn upsert(self, line: u64, item: Json) -> Result<LineResult, CommandError> {
        let key = self.key.extract(&item);
        // Raw: the client sends this text as it is and builds no other tree of values.
        let text = match RawValue::from_string(item.to_string()) {
            Ok(text) => text,
            Err(error) => {
                return Ok(LineResult::Refused(BadLine { line, why: error.to_string() }));
            }
        };
        match self.container.upsert(&key, &text, None).await {
            Ok(_) => Ok(LineResult::Done),
            Err(error) => match error.kind() {
                // The fault of this item: the others can still be imported. Any other error would meet the next items,
                // too.
                ErrorKind::BadRequest | ErrorKind::TooLarge | ErrorKind::Conflict => {
                    Ok(LineResult::Refused(BadLine { line, why: format!("is rejected: {error}") }))
                }
                _ => {
                    let what = format!("importing line {line} into {}", self.container.path());
                    Err(CommandError::from_error(what, &error)
                        .or_hint("run it again, with --resume to continue"))
                }
            },
        }
    }
}

async fn create(
    container: &Container,
    properties: ContainerProperties,
) -> client::Result<ContainerProperties> {
    container.database()?.create_if_missing(None).await?;
    Ok(container.create_if_missing(properties, None).await?.value)
}

async fn finish_one(
    running: &mut JoinSet<Result<LineResult, CommandError>>,
    bad: &mut Vec<BadLine>,
) -> Result<(), CommandError> {
    match running.join_next().await {
        Some(Ok(written)) => {
            if let LineResult::Refused(one) = written? {
                bad.push(one);
            }
        }
        Some(Err(panic)) => std::panic::resume_unwind(panic.into_panic()),
        None => {}
    }
    Ok(())
}
