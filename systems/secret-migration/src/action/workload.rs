//! What an operator can do to one workload: plan it, ask for its migration, switch it back, try it again.

use std::collections::BTreeMap;

use client::EntityTag;
use futures::StreamExt as _;
use serde::Deserialize;

use crate::domain::{MigrationStatus, SecretBackend, TrackedWorkload, Transition, WorkloadKey};
use crate::error::{Error, ErrorKind, Result};
use crate::migration::SecretMigration;
use crate::source::SecretLocation;
use crate::store::StoredWorkload;

/// Paths that a rollback asks Vault for at once.
const SOURCE_REQUESTS_MAX: usize = 8;

/// What an operator may change directly. Absent fields stay.
#[derive(Clone, Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkloadChange {
    /// The labels, all of them.
    pub labels: Option<BTreeMap<String, String>>,
    /// The wave; empty for none.
    pub wave: Option<String>,
    /// Whether it is left out.
    pub paused: Option<bool>,
    /// Who owns it; empty for nobody.
    pub owner: Option<String>,
    /// Must be the present status: a status changes by `migrate`, `rollback` and `retry` only.
    #[schema(value_type = Option<String>)]
    pub migration_status: Option<String>,
    /// Must be the present backend: it is switched by `migrate` and `rollback` only.
    #[schema(value_type = Option<String>)]
    pub secret_backend: Option<String>,
}

/// How a rollback is done.
#[derive(Clone, Debug, Default)]
pub struct RollbackOptions {
    /// Why.
    pub reason: Option<String>,
    /// The etag that the workload must have.
    pub if_match: Option<EntityTag>,
    /// Without asking whether the source still exists.
    pub force: bool,
}

/// A workload that was switched back.
#[derive(Clone, Debug)]
pub struct RolledBackWorkload {
    /// As it is now.
    pub workload: TrackedWorkload,
    /// Its etag.
    pub etag: Option<EntityTag>,
    /// Paths on the new platform that were changed there since the copy, which Vault does not have.
    pub changed_on_target: Vec<String>,
}

impl SecretMigration {
    /// Changes what an operator may change directly.
    ///
    /// # Errors
    /// `Conflict` for another status or backend, `Invalid` for an unknown one, `Changed` for another etag,
    /// `ApprovalMissing` for a wave of a protected cluster that is approved already.
    pub async fn change_workload(
        &self,
        key: &WorkloadKey,
        change: WorkloadChange,
        if_match: Option<&EntityTag>,
        by: &str,
    ) -> Result<(TrackedWorkload, Option<EntityTag>)> {
        let mut stored = self.core.read_workload(key).await?;
        require_etag(&stored, if_match)?;
        refuse_direct_moves(stored.workload(), &change)?;
        let mut workload = stored.workload().clone();
        let text = |text: String| Some(text).filter(|text| !text.is_empty());
        if let Some(labels) = change.labels {
            workload.labels = labels;
        }
        if let Some(wave) = change.wave {
            let wave = text(wave);
            if wave != workload.wave {
                self.require_open_wave(key, wave.as_deref()).await?;
            }
            workload.wave = wave;
        }
        if let Some(owner) = change.owner {
            workload.owner = text(owner);
        }
        workload.paused = change.paused.unwrap_or(workload.paused);
        if workload != *stored.workload() {
            workload.record_change("change", by, self.core.now());
            self.core.save(&mut stored, workload).await?;
        }
        let etag = stored.item.etag();
        Ok((stored.item.into_value(), etag))
    }

    /// Refuses to add a workload of a protected cluster to a wave that nobody could refuse any more, or that is not yet
    /// planned: whoever approves a wave approves its workloads.
    async fn require_open_wave(&self, key: &WorkloadKey, wave: Option<&str>) -> Result<()> {
        let Some(wave) = wave.filter(|_| self.core.settings.protects(&key.cluster)) else {
            return Ok(());
        };
        let known = self.wave(wave).await?;
        if known.approved_by.is_some() || known.selector.cluster != key.cluster {
            let message = format!(
                "{} is protected: a workload can join a wave of this cluster until the wave is approved",
                key.cluster
            );
            return Err(Error::new(ErrorKind::ApprovalMissing, message));
        }
        Ok(())
    }

    /// Asks for the migration of a pending workload. A worker does it.
    ///
    /// # Errors
    /// `Conflict` if it is not pending or held, `MappingMissing`, `ApprovalMissing` in a protected cluster, `Changed`.
    pub async fn request_migration(
        &self,
        key: &WorkloadKey,
        if_match: Option<&EntityTag>,
        by: &str,
    ) -> Result<TrackedWorkload> {
        let mut stored = self.core.read_workload(key).await?;
        require_etag(&stored, if_match)?;
        let workload = stored.workload();
        if self.core.settings.protects(&key.cluster) && workload.wave.is_none() {
            let message =
                format!("{} is protected: use a wave that somebody else approves", key.cluster);
            return Err(Error::new(ErrorKind::ApprovalMissing, message));
        }
        if workload.paused && workload.migration_status == MigrationStatus::Pending {
            return Err(Error::conflict(format!("{key} is held; use retry")));
        }
        if workload.migration_status == MigrationStatus::Pending {
            self.require_mapping(&key.cluster, &key.namespace).await?;
        }
        self.core.change(&mut stored, Transition::Request, by).await?;
        self.core.wake_workers.notify_one();
        Ok(stored.item.into_value())
    }

    /// Tries a rolled-back or pending workload again, held or not, with all its attempts.
    ///
    /// # Errors
    /// `Conflict` if it is in progress or migrated, `Changed`.
    pub async fn retry_migration(
        &self,
        key: &WorkloadKey,
        if_match: Option<&EntityTag>,
        by: &str,
    ) -> Result<TrackedWorkload> {
        let mut stored = self.core.read_workload(key).await?;
        require_etag(&stored, if_match)?;
        self.core.change(&mut stored, Transition::Retry, by).await?;
        self.core.wake_workers.notify_one();
        Ok(stored.item.into_value())
    }

    /// Switches a workload back to Vault: backend and status in one conditional write.
    ///
    /// # Errors
    /// `Conflict` if the source no longer exists or the workload is not switched, `Changed`, `Unavailable` if the
    /// source does not answer; nothing was changed.
    pub async fn roll_back(
        &self,
        key: &WorkloadKey,
        options: &RollbackOptions,
        by: &str,
    ) -> Result<RolledBackWorkload> {
        let mut stored = self.core.read_workload(key).await?;
        require_etag(&stored, options.if_match.as_ref())?;
        let reason = options.reason.clone().unwrap_or_else(|| format!("rolled back by {by}"));
        let transition = Transition::RollBack { reason };
        // Before the source is asked: what the state machine refuses needs no request to Vault.
        stored.workload().clone().apply(transition.clone(), by, self.core.now())?;
        if !options.force {
            self.require_source(stored.workload()).await?;
        }
        let before = stored.workload().clone();
        self.core.change(&mut stored, transition, by).await?;
        let change = stored.workload().last_change.number;
        let rollout = &self.core.platforms.rollout;
        if let Err(why) = rollout.trigger(key, SecretBackend::Hashi, change).await {
            tracing::warn!(workload = %key, why, "the rollout after a rollback could not be triggered");
        }
        let changed_on_target = self.changed_on_target(&before).await;
        let etag = stored.item.etag();
        Ok(RolledBackWorkload { workload: stored.item.into_value(), etag, changed_on_target })
    }

    /// Makes sure that the workload finds its secrets in Vault. Several paths are asked for at once: a rollback of many
    /// references must not take as many round trips.
    async fn require_source(&self, workload: &TrackedWorkload) -> Result<()> {
        let secrets = &workload.hashi_secrets;
        let source = &self.core.platforms.source;
        let locations: Vec<SecretLocation> = secrets
            .items
            .iter()
            .map(|item| SecretLocation {
                mount: secrets.mount_of(item).to_owned(),
                path: item.path.clone(),
            })
            .collect();
        let asked = futures::stream::iter(locations)
            .map(|location| async move { source.live_version(&location).await })
            .buffered(SOURCE_REQUESTS_MAX);
        tokio::pin!(asked);
        while let Some(answer) = asked.next().await {
            if let Err(error) = answer {
                let is_gone = error.is_gone();
                let kind = if is_gone { ErrorKind::Conflict } else { ErrorKind::Unavailable };
                let message = format!("{} cannot go back to Vault: {error}", workload.id);
                return Err(Error::new(kind, message));
            }
        }
        Ok(())
    }

    /// Paths that were changed on the target since the copy. A path that cannot be read is left out: the rollback is
    /// already done, and this is only a report.
    async fn changed_on_target(&self, workload: &TrackedWorkload) -> Vec<String> {
        let mut changed = Vec::new();
        let items = workload.smp_secrets.iter().flat_map(|secrets| &secrets.items);
        for item in items {
            match self.core.platforms.target.read(&item.path).await {
                Ok(Some(now)) if now.version != item.version => changed.push(item.path.clone()),
                _ => {}
            }
        }
        changed
    }
}

/// Refuses a workload with another etag.
fn require_etag(stored: &StoredWorkload, if_match: Option<&EntityTag>) -> Result<()> {
    match if_match {
        Some(expected) if stored.item.etag().as_ref() != Some(expected) => {
            let message = format!("{} has changed; read it again", stored.workload().id);
            Err(Error::new(ErrorKind::Changed, message))
        }
        _ => Ok(()),
    }
}

fn refuse_direct_moves(workload: &TrackedWorkload, change: &WorkloadChange) -> Result<()> {
    if let Some(status) = &change.migration_status {
        let status = MigrationStatus::parse(status);
        let status = status.map_err(|why| Error::invalid_field("migrationStatus", why))?;
        if status != workload.migration_status {
            let now = workload.migration_status;
            return Err(Error::conflict(format!(
                "the status {now} cannot be set to {status}; use migrate, rollback or retry"
            )));
        }
    }
    if let Some(backend) = &change.secret_backend {
        let backend = SecretBackend::parse(backend);
        let backend = backend.map_err(|why| Error::invalid_field("secretBackend", why))?;
        if backend != workload.secret_backend {
            return Err(Error::conflict("the backend cannot be set; use migrate or rollback"));
        }
    }
    Ok(())
}
