//! The projections of a process: which run, waking them, waiting for them.
//!
//! Owns one runner per tenant and projector, made when it is first asked for. Only [`ProjectionHost::run`] moves them
//! forward; a query waits for it and never does its work.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use client::Environment;
use serde_json::Value;
use service::http::ShutdownSignal;
use tokio::sync::{Mutex as AsyncMutex, watch};

use crate::domain::SortableUniqueId;
use crate::error::{Error, ErrorKind, Result};
use crate::service_id::{FixedServiceIdProvider, ServiceId};
use crate::storage::StorageBundle;
use crate::store::StoreScope;

use super::{ProjectionRunner, ProjectionStatus, ProjectorSet, Upcasters};

/// How projections run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectionSettings {
    /// Events younger than this are not yet in the safe state.
    pub safe_window: Duration,
    /// Events of one batch.
    pub batch_events: usize,
    /// A snapshot is saved after so many events.
    pub snapshot_events: u64,
    /// Longest wait before looking for events of other processes.
    pub poll: Duration,
}

/// The projections of a process. Clones share it.
#[derive(Clone)]
pub struct ProjectionHost {
    inner: Arc<ProjectionHostInner>,
}

struct ProjectionHostInner {
    storage: StorageBundle,
    projectors: ProjectorSet,
    upcasters: Upcasters,
    settings: ProjectionSettings,
    active: Mutex<BTreeMap<(ServiceId, String), Arc<ActiveProjection>>>,
    /// Changes when a projection was activated or has to begin anew.
    work: watch::Sender<u64>,
}

struct ActiveProjection {
    runner: AsyncMutex<ProjectionRunner>,
    /// Changes after each round.
    rounds: watch::Sender<u64>,
}

impl ProjectionHost {
    /// A host without active projections.
    #[must_use]
    pub fn new(
        storage: StorageBundle,
        projectors: ProjectorSet,
        upcasters: Upcasters,
        settings: ProjectionSettings,
    ) -> Self {
        let inner = ProjectionHostInner {
            storage,
            projectors,
            upcasters,
            settings,
            active: Mutex::default(),
            work: watch::Sender::new(0),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The projectors.
    #[must_use]
    pub fn projectors(&self) -> &ProjectorSet {
        &self.inner.projectors
    }

    /// A runner of its own for a tenant, for commands that build a projection to its end.
    ///
    /// # Errors
    /// `NotFound` if there is no such projector; those of the storage.
    pub async fn runner(&self, service: &ServiceId, name: &str) -> Result<ProjectionRunner> {
        let ProjectionHostInner { storage, projectors, upcasters, settings, .. } = &*self.inner;
        let projector = projectors.get(name).ok_or_else(|| {
            let known = projectors.names().join(", ");
            let message = format!("there is no projector '{name}'; there are {known}");
            Error::new(ErrorKind::NotFound, message)
        })?;
        let provider = FixedServiceIdProvider::from(service.clone());
        let scope = StoreScope::new(storage, Arc::new(provider));
        ProjectionRunner::open(scope, projector, upcasters.clone(), settings.clone()).await
    }

    /// Moves all active projections forward until the shutdown.
    pub async fn run(&self, shutdown: &ShutdownSignal) {
        let mut appended = self.inner.storage.events.signal().receiver();
        let mut work = self.inner.work.subscribe();
        loop {
            appended.mark_unchanged();
            work.mark_unchanged();
            self.run_round().await;
            tokio::select! {
                () = shutdown.triggered() => break,
                _ = appended.changed() => {}
                _ = work.changed() => {}
                () = tokio::time::sleep(self.inner.settings.poll) => {}
            }
        }
        for (_, active) in self.active() {
            let mut runner = active.runner.lock().await;
            if let Err(error) = runner.save("runner").await {
                tracing::warn!(%error, "a projection could not be saved");
            }
        }
    }

    /// Moves all active projections forward once, to the last event there is.
    pub async fn run_round(&self) {
        for ((service, name), active) in self.active() {
            loop {
                // Unlocked between batches, so that queries get through while it catches up.
                let done = active.runner.lock().await.catch_up_once().await;
                active.rounds.send_modify(|round| *round = round.wrapping_add(1));
                match done {
                    Ok(true) => tokio::task::yield_now().await,
                    Ok(false) => break,
                    Err(error) => {
                        tracing::error!(service_id = %service, projector = name, %error, "a projection stopped");
                        break;
                    }
                }
            }
        }
    }

    /// How far the projections of a tenant are.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn statuses(&self, service: &ServiceId) -> Result<Vec<ProjectionStatus>> {
        let mut statuses = Vec::new();
        for name in self.projectors().names() {
            statuses.push(self.status(service, name).await?);
        }
        Ok(statuses)
    }

    /// How far a projection of a tenant is.
    ///
    /// # Errors
    /// `NotFound` if there is no such projector; those of the storage.
    pub async fn status(&self, service: &ServiceId, name: &str) -> Result<ProjectionStatus> {
        let active = self.activate(service, name).await?;
        let runner = active.runner.lock().await;
        runner.measured_status().await
    }

    /// Begins a projection anew, in the background.
    ///
    /// # Errors
    /// `NotFound` if there is no such projector; those of the storage.
    pub async fn rebuild(&self, service: &ServiceId, name: &str) -> Result<()> {
        let active = self.activate(service, name).await?;
        active.runner.lock().await.restart();
        self.inner.work.send_modify(|count| *count = count.wrapping_add(1));
        Ok(())
    }

    /// Answers a query, after the projection has reached a position.
    ///
    /// # Errors
    /// `Timeout` if it does not reach it in time, `NotFound` if there is no such projector or query; those of the
    /// storage.
    pub async fn query(
        &self,
        service: &ServiceId,
        name: &str,
        query: &str,
        parameters: &BTreeMap<String, String>,
        wait: Option<(&SortableUniqueId, Duration)>,
    ) -> Result<Value> {
        let active = self.activate(service, name).await?;
        if let Some((position, timeout)) = wait {
            let reached = tokio::time::timeout(timeout, active.reach(position)).await;
            if reached.is_err() {
                let message = format!("'{name}' has not reached {position} within {timeout:?}");
                return Err(Error::new(ErrorKind::Timeout, message));
            }
        }
        let runner = active.runner.lock().await;
        runner.query(query, parameters)?.ok_or_else(|| {
            let message = format!("'{name}' has no query '{query}'");
            Error::new(ErrorKind::NotFound, message)
        })
    }

    /// Time and randomness.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.inner.storage.environment
    }

    async fn activate(&self, service: &ServiceId, name: &str) -> Result<Arc<ActiveProjection>> {
        let key = (service.clone(), name.to_owned());
        if let Some(active) = self.lock().get(&key) {
            return Ok(Arc::clone(active));
        }
        let runner = AsyncMutex::new(self.runner(service, name).await?);
        let opened = Arc::new(ActiveProjection { runner, rounds: watch::Sender::new(0) });
        // Another caller may have been faster; its runner counts.
        let active = Arc::clone(self.lock().entry(key).or_insert(opened));
        self.inner.work.send_modify(|count| *count = count.wrapping_add(1));
        Ok(active)
    }

    fn active(&self) -> Vec<((ServiceId, String), Arc<ActiveProjection>)> {
        self.lock().iter().map(|(key, active)| (key.clone(), Arc::clone(active))).collect()
    }

    fn lock(
        &self,
    ) -> std::sync::MutexGuard<'_, BTreeMap<(ServiceId, String), Arc<ActiveProjection>>> {
        self.inner.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActiveProjection {
    async fn reach(&self, position: &SortableUniqueId) {
        let mut rounds = self.rounds.subscribe();
        while !self.runner.lock().await.has_reached(position) {
            if rounds.changed().await.is_err() {
                return;
            }
        }
    }
}

impl std::fmt::Debug for ProjectionHost {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ProjectionHost({:?})", self.inner.projectors)
    }
}
