//! What an operator can do with waves: plan, approve, start, pause, roll back.

use std::collections::BTreeMap;

use client::{Item, Query};
use futures::{StreamExt as _, TryStreamExt as _};
use serde::{Deserialize, Serialize};

use crate::domain::{MigrationStatus, Wave, WaveSelector, WaveStatus, WorkloadKey};
use crate::error::{Error, ErrorKind, Result};
use crate::migration::SecretMigration;
use crate::store::read_if_there;

use super::bulk::{RollbackReport, RollbackScope};

/// All waves are in one partition.
const WAVES: &str = "wave";
/// Workloads that are marked at the same time: a wave has thousands, and each waits for its write.
const JOINS_AT_ONCE: usize = 16;

/// A wave as it is asked for.
#[derive(Clone, Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewWave {
    /// Its name.
    pub name: String,
    /// Which pending workloads belong to it.
    pub selector: WaveSelector,
    /// Workloads started per minute at most.
    pub rate_per_minute: Option<u32>,
    /// The wave stops when more than this share of its workloads has failed.
    pub stop_at_error_ratio: Option<f64>,
}

/// A wave with its partition key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredWave {
    kind: String,
    #[serde(flatten)]
    pub(crate) wave: Wave,
}

/// A wave with the counts of its workloads.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaveReport {
    /// The wave, with the workloads that failed.
    #[serde(flatten)]
    pub wave: Wave,
    /// Its workloads by status.
    pub by_status: BTreeMap<String, u64>,
}

impl SecretMigration {
    /// Plans a wave: marks every pending workload of the selector that is in no other wave.
    ///
    /// # Errors
    /// `Invalid`, `Conflict` if the name is taken; those of the account.
    pub async fn create_wave(&self, new: NewWave, by: &str) -> Result<Wave> {
        check(&new)?;
        let cluster = new.selector.cluster.clone();
        let wave = Wave {
            id: new.name,
            selector: new.selector,
            status: WaveStatus::Planned,
            rate_per_minute: new.rate_per_minute,
            stop_at_error_ratio: new.stop_at_error_ratio,
            needs_approval: self.core.settings.protects(&cluster),
            created_by: by.to_owned(),
            created_at: self.core.now(),
            approved_by: None,
            total: 0,
            failures: BTreeMap::new(),
            next_start_at: None,
            reason: None,
        };
        // The wave is created before its workloads are marked: the other way round a crash would leave workloads in a
        // wave that nobody can start.
        self.create_wave_document(&wave).await?;
        let (id, selector) = (&wave.id, &wave.selector);
        let workloads = self.all_workloads(&cluster).await?;
        let free = workloads.into_iter().filter(|workload| {
            workload.wave.is_none()
                && workload.migration_status == MigrationStatus::Pending
                && !workload.missing
                && selector.matches(workload)
        });
        let joins = futures::stream::iter(free)
            .map(|workload| self.join_wave(workload.key(), id, by))
            .buffer_unordered(JOINS_AT_ONCE);
        let joined =
            joins.try_fold(0, |sum, is_joined| async move { Ok(sum + u64::from(is_joined)) });
        let total = joined.await?;
        let planned = self.modify_wave(id, move |stored| {
            stored.total = total;
            Ok(())
        });
        self.audited("create wave", by, planned.await?).await
    }

    /// Records who did something to a wave.
    async fn audited(&self, action: &str, by: &str, wave: Wave) -> Result<Wave> {
        let subject = format!("wave:{}", wave.id);
        self.core.audit_action(&wave.selector.cluster, subject, action, by).await;
        Ok(wave)
    }

    /// Marks a workload; `false` if somebody changes it right now, which leaves it out of the wave.
    async fn join_wave(&self, key: WorkloadKey, wave: &str, by: &str) -> Result<bool> {
        let mut stored = self.core.read_workload(&key).await?;
        let mut marked = stored.workload().clone();
        marked.wave = Some(wave.to_owned());
        marked.record_change("join wave", by, self.core.now());
        match self.core.save(&mut stored, marked).await {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::Changed => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn create_wave_document(&self, wave: &Wave) -> Result<()> {
        let stored = StoredWave { kind: WAVES.to_owned(), wave: wave.clone() };
        match self.core.containers.waves.create(&WAVES.into(), &stored).await {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == client::ErrorKind::Conflict => {
                Err(Error::conflict(format!("there is a wave '{}' already", wave.id)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Approves a wave. Its creator cannot.
    ///
    /// # Errors
    /// `ApprovalMissing` for the creator, `NotFound`.
    pub async fn approve_wave(&self, id: &str, by: &str) -> Result<Wave> {
        let approved = self.modify_wave(id, |wave| {
            if wave.created_by == by {
                let message = format!("{by} has created the wave; somebody else must approve it");
                return Err(Error::new(ErrorKind::ApprovalMissing, message));
            }
            wave.approved_by = Some(by.to_owned());
            Ok(())
        });
        self.audited("approve wave", by, approved.await?).await
    }

    /// Starts a planned wave, or goes on with a paused or stopped one.
    ///
    /// # Errors
    /// `ApprovalMissing`, `Conflict` for a finished one, `MappingMissing` if the mappings are stale.
    pub async fn start_wave(&self, id: &str, by: &str) -> Result<Wave> {
        let wave = self.wave(id).await?;
        if let Some(why) = self.stale_mapping(&wave.selector.cluster).await? {
            return Err(Error::new(ErrorKind::MappingMissing, why));
        }
        let started = self
            .modify_wave(id, |wave| {
                if !wave.is_approved() {
                    let message = "the cluster is protected: somebody else must approve the wave";
                    return Err(Error::new(ErrorKind::ApprovalMissing, message));
                }
                match wave.status {
                    WaveStatus::Finished | WaveStatus::RolledBack => {
                        Err(Error::conflict(format!("the wave '{}' has ended", wave.id)))
                    }
                    _ => {
                        (wave.status, wave.reason) = (WaveStatus::Running, None);
                        Ok(())
                    }
                }
            })
            .await?;
        self.core.wake_workers.notify_one();
        self.audited("start wave", by, started).await
    }

    /// Pauses a running wave: what is in progress ends, nothing new starts.
    ///
    /// # Errors
    /// `Conflict` if it is not running.
    pub async fn pause_wave(&self, id: &str, by: &str) -> Result<Wave> {
        let reason = format!("paused by {by}");
        let paused = self.modify_wave(id, |wave| match wave.status {
            WaveStatus::Running => {
                (wave.status, wave.reason) = (WaveStatus::Paused, Some(reason.clone()));
                Ok(())
            }
            _ => Err(Error::conflict(format!("the wave '{}' is not running", wave.id))),
        });
        self.audited("pause wave", by, paused.await?).await
    }

    /// Ends a wave and switches its workloads back.
    ///
    /// # Errors
    /// `NotFound`; those of the account.
    pub async fn roll_back_wave(&self, id: &str, reason: &str, by: &str) -> Result<RollbackReport> {
        // First the wave: workers must not start more of it meanwhile.
        let why = reason.to_owned();
        let wave = self
            .modify_wave(id, move |wave| {
                (wave.status, wave.reason) = (WaveStatus::RolledBack, Some(why.clone()));
                Ok(())
            })
            .await?;
        let wave = self.audited("roll back wave", by, wave).await?;
        let scope = RollbackScope::Wave(id.to_owned());
        self.roll_back_all(&wave.selector.cluster, &scope, reason, by).await
    }

    /// A wave.
    ///
    /// # Errors
    /// `NotFound`; those of the account.
    pub async fn wave(&self, id: &str) -> Result<Wave> {
        let waves = &self.core.containers.waves;
        let read = read_if_there::<StoredWave>(waves, &WAVES.into(), id).await?;
        read.map(|read| read.value.into_value().wave)
            .ok_or_else(|| Error::not_found(format!("there is no wave '{id}'")))
    }

    /// A wave with the counts of its workloads.
    ///
    /// # Errors
    /// `NotFound`; those of the account.
    pub async fn wave_report(&self, id: &str) -> Result<WaveReport> {
        let wave = self.wave(id).await?;
        let mut summary = self.summary(&wave.selector.cluster).await?;
        Ok(WaveReport { by_status: summary.by_wave.remove(id).unwrap_or_default(), wave })
    }

    /// All waves.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn waves(&self) -> Result<Vec<Wave>> {
        let query = Query::text("SELECT * FROM c").within(WAVES.into());
        let stored: Vec<StoredWave> = self.core.containers.waves.query(&query).await?.value;
        Ok(stored.into_iter().map(|stored| stored.wave).collect())
    }

    /// The waves that run now.
    pub(crate) async fn running_waves(&self) -> Result<Vec<Wave>> {
        let query = Query::text("SELECT * FROM c WHERE c.status = 'RUNNING'").within(WAVES.into());
        let stored: Vec<StoredWave> = self.core.containers.waves.query(&query).await?.value;
        Ok(stored.into_iter().map(|stored| stored.wave).collect())
    }

    /// Changes a wave; repeats the change if another process was faster.
    pub(crate) async fn modify_wave(
        &self,
        id: &str,
        change: impl Fn(&mut Wave) -> Result<()>,
    ) -> Result<Wave> {
        let waves = &self.core.containers.waves;
        let key = WAVES.into();
        let done = waves.modify(&key, id, |stored: &mut StoredWave| change(&mut stored.wave));
        let done: Item<StoredWave> = done
            .await
            .map_err(|error: Error| match error.kind() {
                ErrorKind::NotFound => Error::not_found(format!("there is no wave '{id}'")),
                _ => error,
            })?
            .value;
        Ok(done.into_value().wave)
    }
}

fn check(new: &NewWave) -> Result<()> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if new.name.is_empty() || new.name.len() > 63 || !new.name.chars().all(fits) {
        let rule = "1 to 63 letters, digits, '-', '_' and '.' are allowed";
        return Err(Error::invalid_field("name", rule));
    }
    if new.stop_at_error_ratio.is_some_and(|ratio| !(0.0..=1.0).contains(&ratio)) {
        return Err(Error::invalid_field("stopAtErrorRatio", "must be between 0 and 1"));
    }
    if new.rate_per_minute == Some(0) {
        return Err(Error::invalid_field("ratePerMinute", "must be at least 1"));
    }
    Ok(())
}
