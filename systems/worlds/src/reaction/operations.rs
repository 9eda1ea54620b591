//! Runs operations: claims them, reports their progress, and repeats those that fail.
//!
//! Owns the claim: an operation belongs to one worker until its lease ends, so a worker that died is replaced. Every
//! operation can be run again from the start: it looks for what is still to do. Does not own what they do (`cascade`,
//! `paths`).

use std::time::Duration;

use client::Query;
use service::charge::ChargeMeter;

use crate::domain::{OperationStatus, WorldOperation, WorldOperationKind};
use crate::error::{Error, ErrorKind, Result};
use crate::worlds::{Worlds, WorldsCore};

/// How long an operation belongs to a worker that reports nothing.
const LEASE: Duration = Duration::from_secs(60);
/// Attempts after which an operation has failed.
const ATTEMPTS_MAX: u32 = 5;
/// Entities between two reports of the progress.
pub(super) const CHUNK: usize = 50;

/// An operation that this worker has claimed.
pub(super) struct ClaimedOperation<'core> {
    pub(super) core: &'core WorldsCore,
    pub(super) operation: WorldOperation,
    pub(super) meter: ChargeMeter,
    worker: String,
    /// What could not be done although the rest was.
    pub(super) skipped: Option<String>,
}

impl Worlds {
    /// Runs every operation that is open and that no other worker has. Returns how many were run.
    ///
    /// # Errors
    /// Those of the account when operations cannot be read or claimed.
    pub async fn run_operations(&self, worker: &str) -> Result<u64> {
        let core = &*self.core;
        let query = Query::text(
            "SELECT * FROM c WHERE c.Status IN ('pending', 'in_progress') ORDER BY c.CreatedDate",
        );
        let query = query.fan_out("a worker runs the operations of every world");
        let open = core.containers.operations.query::<WorldOperation>(&query).await?.value;
        let mut count = 0;
        for operation in open {
            if let Some(mut claimed) = core.claim(&operation, worker).await? {
                claimed.run().await?;
                count += 1;
            }
        }
        Ok(count)
    }
}

impl WorldsCore {
    async fn claim(
        &self,
        operation: &WorldOperation,
        worker: &str,
    ) -> Result<Option<ClaimedOperation<'_>>> {
        let (key, now) = (operation.world_id.partition_key(), self.now());
        let taken = || Error::new(ErrorKind::Conflict, "another worker has the operation");
        let claimed =
            self.containers.operations.modify(&key, &operation.id, |one: &mut WorldOperation| {
                let is_own = one.worker.as_deref() == Some(worker);
                let is_free = is_own || one.leased_until.is_none_or(|until| until <= now);
                if !one.status.is_open() || !is_free {
                    return Err(taken());
                }
                one.set_status(OperationStatus::InProgress);
                one.worker = Some(worker.to_owned());
                one.leased_until = Some(now.after(LEASE));
                one.modified_date = now;
                Ok(())
            });
        match claimed.await {
            Ok(claimed) => Ok(Some(ClaimedOperation {
                core: self,
                operation: claimed.value.into_value(),
                meter: ChargeMeter::default(),
                worker: worker.to_owned(),
                skipped: None,
            })),
            // Another worker was faster, or the world is gone.
            Err(error) if matches!(error.kind(), ErrorKind::Conflict | ErrorKind::NotFound) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

impl ClaimedOperation<'_> {
    async fn run(&mut self) -> Result<()> {
        let result = match self.operation.kind {
            WorldOperationKind::Delete => self.run_delete().await,
            WorldOperationKind::Restore => self.run_restore().await,
            WorldOperationKind::RewritePaths => self.run_rewrite().await,
        };
        let error = match result {
            Ok(()) => self.skipped.take(),
            Err(error) => {
                self.operation.attempts += 1;
                if self.operation.attempts < ATTEMPTS_MAX {
                    return self.report(OperationStatus::Pending, Some(error.to_string())).await;
                }
                Some(error.to_string())
            }
        };
        let status = match (&error, self.operation.done) {
            (None, _) => OperationStatus::Completed,
            (Some(_), 0) => OperationStatus::Failed,
            (Some(_), _) => OperationStatus::Partial,
        };
        self.report(status, error).await
    }

    /// Reports that more entities were changed, and keeps the claim.
    pub(super) async fn advance(&mut self, done: usize, to_do: usize) -> Result<()> {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        self.operation.done += number(done);
        self.operation.total = self.operation.done + number(to_do.saturating_sub(done));
        self.report(OperationStatus::InProgress, None).await
    }

    /// Stores the progress; fails if another worker has the operation.
    async fn report(&mut self, status: OperationStatus, error: Option<String>) -> Result<()> {
        let now = self.core.now();
        let (key, id) = (self.operation.world_id.partition_key(), self.operation.id.clone());
        let (done, total, attempts) =
            (self.operation.done, self.operation.total, self.operation.attempts);
        let worker = self.worker.clone();
        let lost = || Error::new(ErrorKind::Conflict, "another worker has the operation");
        let operations = &self.core.containers.operations;
        let reported = operations.modify(&key, &id, |one: &mut WorldOperation| {
            if one.worker.as_deref() != Some(worker.as_str()) {
                return Err(lost());
            }
            (one.done, one.total, one.attempts) = (done, total, attempts);
            one.set_status(status);
            one.error.clone_from(&error);
            one.leased_until = status.is_open().then(|| now.after(LEASE));
            one.modified_date = now;
            Ok(())
        });
        match reported.await {
            Ok(reported) => self.meter.add(reported.charge),
            // The world is gone, and its operations with it.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        }
        let operation = &self.operation;
        tracing::debug!(id, ?status, done = operation.done, "progress of an operation");
        Ok(())
    }
}
