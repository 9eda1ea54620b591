//! Migrations that an operator starts over HTTP: jobs of this process with their progress.
//!
//! Owns the list of jobs and their checkpoints. A checkpoint lives as long as the process: after a restart a copy
//! begins again, and writes the same items once more. Does not own copying (`account`).

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use client::Account;
use serde::{Deserialize, Serialize};
use service::copy::{Checkpoint, CheckpointStore, StopCondition};
use service::timestamp::UtcTimestamp;
use tokio::sync::watch;

use crate::account::{AccountStoreOptions, LegacyMigration, MigrationReport};
use crate::error::{Error, ErrorKind, Result};
use crate::service_id::ServiceId;

const JOBS_MAX: usize = 100;

/// The migrations of a process. Clones share them.
#[derive(Clone)]
pub struct MigrationJobs {
    account: Account,
    source: AccountStoreOptions,
    inner: Arc<Mutex<MigrationJobsInner>>,
}

#[derive(Default)]
struct MigrationJobsInner {
    jobs: BTreeMap<u64, RunningMigration>,
    checkpoints: BTreeMap<String, Checkpoint>,
    last: u64,
}

struct RunningMigration {
    status: TenantMigrationStatus,
    stop: watch::Sender<bool>,
}

/// What to migrate, and how.
#[derive(Clone, Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MigrationRequest {
    /// `copy`, `verify` or `dryRun`.
    pub action: MigrationAction,
    /// The database of the new containers; that of the old ones if absent.
    pub to_database: Option<String>,
    /// Ends the names of the new containers; needed in the same database.
    #[serde(default)]
    pub to_suffix: String,
    /// The tenant that the data becomes.
    pub to_service: Option<String>,
    /// Request units per second at most.
    #[schema(value_type = Option<u32>)]
    pub units_per_second: Option<NonZeroU32>,
    /// A copy goes on with what the old program writes, until it is stopped.
    #[serde(default)]
    pub follow: bool,
}

/// What a migration does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum MigrationAction {
    /// Copies, from its checkpoint on.
    Copy,
    /// Compares both sides.
    Verify,
    /// Says what a copy would write.
    DryRun,
}

/// How far a migration is.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantMigrationStatus {
    /// Its number.
    pub id: u64,
    /// What it does.
    pub action: MigrationAction,
    /// The tenant that the data becomes.
    #[schema(value_type = String)]
    pub to_service: ServiceId,
    /// `running`, `done` or `failed`.
    pub state: MigrationState,
    /// When it began.
    #[schema(value_type = String)]
    pub started_at: UtcTimestamp,
    /// Items written so far, by container.
    pub written: BTreeMap<String, u64>,
    /// What it found, when it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<MigrationReport>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Whether a migration runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MigrationState {
    /// It runs.
    Running,
    /// It has ended.
    Done,
    /// It has failed.
    Failed,
}

impl AccountStoreOptions {
    /// The options of new containers: in another database, or under names that end with a suffix.
    #[must_use]
    pub fn migrated_to(&self, database: Option<&str>, suffix: &str) -> Self {
        let named = |name: &str| format!("{name}{suffix}");
        Self {
            database: database.unwrap_or(&self.database).to_owned(),
            events_container_name: named(&self.events_container_name),
            tags_container_name: named(&self.tags_container_name),
            multi_projection_states_container_name: named(
                &self.multi_projection_states_container_name,
            ),
            use_legacy_partition_key_paths: false,
            ..self.clone()
        }
    }
}

impl MigrationJobs {
    /// No jobs yet; the source is the old layout under these options.
    #[must_use]
    pub fn new(account: Account, source: AccountStoreOptions) -> Self {
        Self { account, source, inner: Arc::default() }
    }

    /// All jobs, the newest first.
    #[must_use]
    pub fn list(&self) -> Vec<TenantMigrationStatus> {
        self.lock().jobs.values().rev().map(|job| job.status.clone()).collect()
    }

    /// One job.
    #[must_use]
    pub fn status(&self, id: u64) -> Option<TenantMigrationStatus> {
        self.lock().jobs.get(&id).map(|job| job.status.clone())
    }

    /// Starts a job.
    ///
    /// # Errors
    /// `ServiceId` for a tenant that is none, `Conflict` while another job runs.
    pub fn start(&self, request: MigrationRequest) -> Result<TenantMigrationStatus> {
        let service = match &request.to_service {
            Some(text) => ServiceId::parse(text)?,
            None => ServiceId::default_tenant(),
        };
        let (stop, stopped) = watch::channel(false);
        let status = {
            let mut inner = self.lock();
            if inner.jobs.values().any(|job| job.status.state == MigrationState::Running) {
                let message = "another migration is running; wait for it, or stop it";
                return Err(Error::new(ErrorKind::Conflict, message));
            }
            inner.last += 1;
            let status = TenantMigrationStatus {
                id: inner.last,
                action: request.action,
                to_service: service.clone(),
                state: MigrationState::Running,
                started_at: UtcTimestamp::now(self.account.environment()),
                written: BTreeMap::new(),
                report: None,
                error: None,
            };
            inner.jobs.insert(status.id, RunningMigration { status: status.clone(), stop });
            while inner.jobs.len() > JOBS_MAX {
                inner.jobs.pop_first();
            }
            status
        };
        let (jobs, id) = (self.clone(), status.id);
        self.account.environment().spawn(async move {
            let done = jobs.run(id, &request, &service, stopped).await;
            jobs.end(id, done);
        });
        Ok(status)
    }

    /// Stops a job that follows. Whether there is such a job.
    #[must_use]
    pub fn stop(&self, id: u64) -> bool {
        // A job that has ended listens no more.
        self.lock().jobs.get(&id).map(|job| job.stop.send_replace(true)).is_some()
    }

    async fn run(
        &self,
        id: u64,
        request: &MigrationRequest,
        service: &ServiceId,
        stopped: watch::Receiver<bool>,
    ) -> Result<MigrationReport> {
        let target = self.source.migrated_to(request.to_database.as_deref(), &request.to_suffix);
        if request.action == MigrationAction::DryRun {
            return LegacyMigration::dry_run(&self.account, &self.source, &target, service).await;
        }
        let units = request.units_per_second;
        let migration =
            LegacyMigration::prepare(&self.account, &self.source, &target, service, units).await?;
        if request.action == MigrationAction::Verify {
            return migration.verify().await;
        }
        let until =
            if request.follow { StopCondition::Signal(stopped) } else { StopCondition::CaughtUp };
        let plan = format!("{} {} {service}", target.database, request.to_suffix);
        let checkpoints = |name: &str| -> Box<dyn CheckpointStore> {
            Box::new(JobCheckpoint { jobs: self.clone(), key: format!("{plan} {name}") })
        };
        let progress = |name: &str, copied: u64| {
            if let Some(job) = self.lock().jobs.get_mut(&id) {
                job.status.written.insert(name.to_owned(), copied);
            }
        };
        migration.run(&checkpoints, &until, &progress).await
    }

    fn end(&self, id: u64, done: Result<MigrationReport>) {
        let mut inner = self.lock();
        let Some(job) = inner.jobs.get_mut(&id) else { return };
        match done {
            Ok(report) => {
                (job.status.state, job.status.report) = (MigrationState::Done, Some(report));
            }
            Err(error) => {
                tracing::warn!(%error, "a migration failed");
                job.status.state = MigrationState::Failed;
                job.status.error = Some(error.to_string());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, MigrationJobsInner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The checkpoint of one container.
struct JobCheckpoint {
    jobs: MigrationJobs,
    key: String,
}

impl CheckpointStore for JobCheckpoint {
    fn load(&self) -> std::result::Result<Option<Checkpoint>, String> {
        Ok(self.jobs.lock().checkpoints.get(&self.key).cloned())
    }

    fn save(&self, checkpoint: &Checkpoint) -> std::result::Result<(), String> {
        self.jobs.lock().checkpoints.insert(self.key.clone(), checkpoint.clone());
        Ok(())
    }
}

impl std::fmt::Debug for MigrationJobs {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "MigrationJobs({})", self.lock().jobs.len())
    }
}
