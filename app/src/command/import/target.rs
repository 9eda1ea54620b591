//! The container that items go into: made where it is missing and somebody said how, and written to.

use client::{Container, ContainerProperties, ErrorKind, Json, PartitionKeyDefinition};
use serde_json::value::RawValue;
use tokio::task::JoinSet;

use crate::failure::Failure;

/// Upserts under way at once; they share the syncs of a store.
const WRITES_AT_ONCE: usize = 64;

#[derive(Clone)]
pub(super) struct Target {
    container: Container,
    key: PartitionKeyDefinition,
}

/// A record that is no item, or an item the account does not take.
#[derive(Debug)]
pub(super) struct Bad {
    pub(super) line: u64,
    pub(super) why: String,
}

/// How one write ended.
enum Written {
    Done,
    Refused(Bad),
}

impl Target {
    /// The container, made if it is missing and its properties or its key are known.
    pub(super) async fn open(
        container: Container,
        described: Option<&Json>,
        key: Option<PartitionKeyDefinition>,
    ) -> Result<Self, Failure> {
        let what = || format!("importing into {}", container.path());
        let failed = |error| {
            Failure::of(what(), &error)
                .or_way_out("correct the names, or say --partition-key to make the container")
        };
        let existing = match container.read_properties().await {
            Ok(answer) => Some(answer.value),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        let refused = |why: &str| {
            Failure::new(what(), why)
                .way_out("correct the names, or say --partition-key to make the container")
        };
        let properties = match (existing, described, key) {
            (Some(existing), _, Some(key)) if existing.partition_key.paths() != key.paths() => {
                return Err(refused("it exists with another partition key"));
            }
            (Some(existing), ..) => existing,
            (None, Some(described), None) => {
                let mut properties =
                    ContainerProperties::from_json(described).map_err(|invalid| {
                        Failure::new(what(), invalid.message().trim_end_matches('.'))
                            .way_out("correct the first line of the file")
                    })?;
                properties.id = container.properties(properties.partition_key.clone()).id;
                make(&container, properties).await.map_err(failed)?
            }
            (None, _, Some(key)) => {
                make(&container, container.properties(key)).await.map_err(failed)?
            }
            (None, None, None) => return Err(refused("there is no such container")),
        };
        Ok(Self { container, key: properties.partition_key })
    }

    pub(super) fn path(&self) -> String {
        self.container.path()
    }

    /// Upserts items side by side; those the account does not take come back.
    pub(super) async fn write(&self, items: Vec<(u64, Json)>) -> Result<Vec<Bad>, Failure> {
        let mut running = JoinSet::new();
        let mut bad = Vec::new();
        for (line, item) in items {
            if running.len() >= WRITES_AT_ONCE {
                finish_one(&mut running, &mut bad).await?;
            }
            running.spawn(self.clone().upsert(line, item));
        }
        while !running.is_empty() {
            finish_one(&mut running, &mut bad).await?;
        }
        bad.sort_by_key(|bad| bad.line);
        Ok(bad)
    }

    async fn upsert(self, line: u64, item: Json) -> Result<Written, Failure> {
        let key = self.key.extract(&item);
        let text = match RawValue::from_string(item.to_string()) {
            Ok(text) => text,
            Err(error) => return Ok(Written::Refused(Bad { line, why: error.to_string() })),
        };
        match self.container.upsert(&key, &text, None).await {
            Ok(_) => Ok(Written::Done),
            Err(error) => match error.kind() {
                ErrorKind::BadRequest | ErrorKind::TooLarge | ErrorKind::Conflict => {
                    Ok(Written::Refused(Bad { line, why: format!("is refused: {error}") }))
                }
                _ => {
                    let what = format!("importing line {line} into {}", self.container.path());
                    Err(Failure::of(what, &error)
                        .or_way_out("run it again, with --resume to go on"))
                }
            },
        }
    }
}

async fn make(
    container: &Container,
    properties: ContainerProperties,
) -> client::Result<ContainerProperties> {
    container.database()?.create_if_missing(None).await?;
    Ok(container.create_if_missing(properties, None).await?.value)
}

async fn finish_one(
    running: &mut JoinSet<Result<Written, Failure>>,
    bad: &mut Vec<Bad>,
) -> Result<(), Failure> {
    match running.join_next().await {
        Some(Ok(written)) => {
            if let Written::Refused(one) = written? {
                bad.push(one);
            }
        }
        Some(Err(panic)) => std::panic::resume_unwind(panic.into_panic()),
        None => {}
    }
    Ok(())
}
