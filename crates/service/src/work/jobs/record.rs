//! The item of a job: its lease, its next time, and how it went last.
//!
//! Owns the form and the guarded writes. The container has the partition key `/id`; leases of processors may be in it
//! too.

use client::{Container, ErrorKind, Item, PartitionKey, Result};
use serde::{Deserialize, Serialize};

use crate::work::Moment;

/// How a job stands, as anybody can read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobStatus {
    id: String,
    /// Name of the job.
    pub name: String,
    /// Who runs it now; none when nobody does.
    pub owner: Option<String>,
    /// When somebody else may take over.
    pub lease_until: Option<Moment>,
    /// When it runs next.
    pub next_run_at: Moment,
    /// When the last run began.
    pub last_started_at: Option<Moment>,
    /// When the last run that ended did.
    pub last_ended_at: Option<Moment>,
    /// Why the last run that ended failed; none when it did not.
    pub last_error: Option<String>,
    /// Runs that ended well.
    pub runs: u64,
    /// Runs that failed, lost leaders included.
    pub failures: u64,
    /// Failures since the last run that ended well.
    pub failures_in_a_row: u32,
}

impl JobStatus {
    fn new(id: String, name: &str, next_run_at: Moment) -> Self {
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

/// The item of a job, made by whichever instance comes first.
pub(super) async fn open(container: &Container, name: &str) -> Result<Item<JobStatus>> {
    if let Some(item) = read(container, name).await? {
        return Ok(item);
    }
    let status =
        JobStatus::new(item_id(name), name, Moment::now(container.account().environment()));
    match container.create(&PartitionKey::from(status.id.as_str()), &status).await {
        Ok(created) => Ok(created.value),
        Err(error) if error.kind() == ErrorKind::Conflict => {
            let key = PartitionKey::from(status.id.as_str());
            Ok(container.read(&key, &status.id).await?.value)
        }
        Err(error) => Err(error),
    }
}

/// The item of a job; none before the first instance looked at it.
pub(super) async fn read(container: &Container, name: &str) -> Result<Option<Item<JobStatus>>> {
    let id = item_id(name);
    match container.read(&PartitionKey::from(id.as_str()), &id).await {
        Ok(read) => Ok(Some(read.value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes the item if nobody else did; none when somebody did.
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
