//! The item of a job: its lease, its next time, and the result of the last run.
//!
//! Owns the format and the conditional writes. The container has the partition key `/id`; it may also hold the leases
//! of change feed processors.

use client::{Container, ErrorKind, Item, PartitionKey, Result};
use serde::{Deserialize, Serialize};

use crate::work::UtcTimestamp;

/// The status of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobStatus {
    id: String,
    /// Name of the job.
    pub name: String,
    /// The leader that runs it now, if any.
    pub owner: Option<String>,
    /// The end of the lease, after which another instance may run it.
    pub lease_until: Option<UtcTimestamp>,
    /// When it runs next.
    pub next_run_at: UtcTimestamp,
    /// When the last run began.
    pub last_started_at: Option<UtcTimestamp>,
    /// When the last finished run ended.
    pub last_ended_at: Option<UtcTimestamp>,
    /// The error of the last finished run, if it failed.
    pub last_error: Option<String>,
    /// Number of successful runs.
    pub runs: u64,
    /// Number of failed runs, including those whose leader was lost.
    pub failures: u64,
    /// Number of failures since the last successful run.
    pub failures_in_a_row: u32,
}

impl JobStatus {
    fn new(id: String, name: &str, next_run_at: UtcTimestamp) -> Self {
        Self {
            id,
            name: name.to_owned(),
            owner: None,
            lease_until: None,
            next_run_at,
            last_started_at: None,
            last_ended_at: None,
            last_error: None,
            runs: 0,
            failures: 0,
            failures_in_a_row: 0,
        }
    }
}

fn item_id(name: &str) -> String {
    format!("job..{name}")
}

/// The item of a job, created by the first instance that asks for it.
pub(super) async fn read_or_create(container: &Container, name: &str) -> Result<Item<JobStatus>> {
    if let Some(item) = read(container, name).await? {
        return Ok(item);
    }
    let status =
        JobStatus::new(item_id(name), name, UtcTimestamp::now(container.account().environment()));
    match container.create(&PartitionKey::from(status.id.as_str()), &status).await {
        Ok(created) => Ok(created.value),
        // Another instance has created it between our read and our create.
        Err(error) if error.kind() == ErrorKind::Conflict => {
            let key = PartitionKey::from(status.id.as_str());
            Ok(container.read(&key, &status.id).await?.value)
        }
        Err(error) => Err(error),
    }
}

/// The item of a job; `None` before the first instance created it.
pub(super) async fn read(container: &Container, name: &str) -> Result<Option<Item<JobStatus>>> {
    let id = item_id(name);
    match container.read(&PartitionKey::from(id.as_str()), &id).await {
        Ok(read) => Ok(Some(read.value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes the item unless another instance changed it; `None` if one did.
pub(super) async fn write(
    container: &Container,
    item: &Item<JobStatus>,
) -> Result<Option<Item<JobStatus>>> {
    match container.save(&PartitionKey::from(item.value.id.as_str()), item).await {
        Ok(saved) => Ok(Some(saved.value)),
        Err(error) if matches!(error.kind(), ErrorKind::Precondition | ErrorKind::NotFound) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
