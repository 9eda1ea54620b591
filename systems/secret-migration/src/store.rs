//! Reading and changing documents: every change of a workload is one conditional write, followed by its audit entry.
//!
//! The two are in two containers, so one transaction cannot hold both. Instead a workload holds its last change
//! (`lastChange`), written together with the change. Whoever changes it next first makes sure that the entry of that
//! change exists. So the audit misses at most the newest change of a crashed process, and only until the next change or
//! until `repair_audit` has walked over it.

use client::{Container, ErrorKind as AccountErrorKind, Item, Query};

use crate::domain::{
    AuditEntry, ClusterName, TrackedWorkload, Transition, UtcTimestamp, WorkloadKey,
};
use crate::error::{Error, ErrorKind, Result};
use crate::migration::MigrationCore;

/// A workload as it is stored, with its etag.
pub(crate) struct StoredWorkload {
    pub(crate) item: Item<TrackedWorkload>,
    /// Whether this process knows that the audit has the last change.
    is_audited: bool,
    /// Request units so far.
    pub(crate) charge: f64,
}

impl StoredWorkload {
    pub(crate) fn workload(&self) -> &TrackedWorkload {
        &self.item.value
    }
}

impl MigrationCore {
    /// Reads a workload.
    pub(crate) async fn read_workload(&self, key: &WorkloadKey) -> Result<StoredWorkload> {
        let workloads = &self.containers.workloads;
        match workloads.read::<TrackedWorkload>(&key.partition_key(), &key.id()).await {
            Ok(read) => {
                Ok(StoredWorkload { item: read.value, is_audited: false, charge: read.charge })
            }
            Err(error) if error.kind() == AccountErrorKind::NotFound => {
                Err(Error::not_found(format!("there is no workload {key}; scan its cluster first")))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Creates a workload that does not exist; `false` if another process was faster.
    pub(crate) async fn create_workload(&self, workload: &TrackedWorkload) -> Result<bool> {
        let key = workload.cluster.partition_key();
        match self.containers.workloads.create(&key, workload).await {
            Ok(_) => {
                self.append_audit(&AuditEntry::of_change(workload)).await?;
                Ok(true)
            }
            Err(error) if error.kind() == AccountErrorKind::Conflict => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes a change.
    ///
    /// # Errors
    /// `Conflict` if the state machine refuses it, `Changed` if somebody else wrote the workload since it was read.
    pub(crate) async fn change(
        &self,
        stored: &mut StoredWorkload,
        transition: Transition,
        by: &str,
    ) -> Result<()> {
        let now = self.now();
        let mut changed = stored.workload().clone();
        changed.apply(transition, by, now)?;
        self.save(stored, changed).await
    }

    /// Writes a workload whose change is already recorded in it.
    pub(crate) async fn save(
        &self,
        stored: &mut StoredWorkload,
        changed: TrackedWorkload,
    ) -> Result<()> {
        if !stored.is_audited {
            self.ensure_audited(stored).await?;
        }
        let before = std::mem::replace(&mut stored.item.value, changed);
        let key = before.cluster.partition_key();
        match self.containers.workloads.save(&key, &stored.item).await {
            Ok(saved) => {
                stored.item = saved.value;
                stored.charge += saved.charge;
            }
            Err(error) => {
                stored.item.value = before;
                return Err(match error.kind() {
                    AccountErrorKind::Precondition | AccountErrorKind::NotFound => {
                        let id = &stored.item.value.id;
                        let message = format!("somebody else changed {id}; read it again");
                        Error::new(ErrorKind::Changed, message)
                    }
                    _ => error.into(),
                });
            }
        }
        self.watch.wake();
        // The change is made. If its entry cannot be written now, the next change writes it.
        let written = self.append_audit(&AuditEntry::of_change(stored.workload())).await;
        stored.is_audited = written.is_ok();
        match written {
            Ok(charge) => stored.charge += charge,
            Err(error) => {
                let id = &stored.workload().id;
                tracing::warn!(workload = id, %error, "an audit entry is late");
            }
        }
        Ok(())
    }

    /// Writes the missing entries of workloads that were changed since a time.
    pub(crate) async fn repair_audit(
        &self,
        cluster: &ClusterName,
        since: UtcTimestamp,
    ) -> Result<()> {
        let query = Query::text("SELECT * FROM c WHERE c.updatedAt >= @since")
            .parameter("@since", since)
            .within(cluster.partition_key());
        let changed = self.containers.workloads.query::<Item<TrackedWorkload>>(&query).await?.value;
        for item in changed {
            let mut stored = StoredWorkload { item, is_audited: false, charge: 0.0 };
            self.ensure_audited(&mut stored).await?;
        }
        Ok(())
    }

    /// Makes sure that the audit has the last change.
    async fn ensure_audited(&self, stored: &mut StoredWorkload) -> Result<()> {
        let entry = AuditEntry::of_change(stored.workload());
        let audit = &self.containers.audit;
        match audit.read::<AuditEntry>(&entry.cluster.partition_key(), &entry.id).await {
            Ok(read) => stored.charge += read.charge,
            Err(error) if error.kind() == AccountErrorKind::NotFound => {
                stored.charge += error.charge();
                self.append_audit(&entry).await?;
            }
            Err(error) => return Err(error.into()),
        }
        stored.is_audited = true;
        Ok(())
    }

    /// Records who did something to a wave or a mapping. It is done already, so a failure is only logged.
    pub(crate) async fn audit_action(
        &self,
        cluster: &ClusterName,
        subject: String,
        action: &str,
        by: &str,
    ) {
        let number = self.environment.random();
        let entry = AuditEntry::of_action(cluster, subject, (action, by), self.now(), number);
        if let Err(error) = self.append_audit(&entry).await {
            tracing::warn!(subject = entry.workload, action, by, %error, "an audit entry is lost");
        }
    }

    /// Appends an entry. One with its id is the same entry, written before a crash.
    pub(crate) async fn append_audit(&self, entry: &AuditEntry) -> Result<f64> {
        match self.containers.audit.create(&entry.cluster.partition_key(), entry).await {
            Ok(created) => Ok(created.charge),
            Err(error) if error.kind() == AccountErrorKind::Conflict => Ok(error.charge()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Reads an item that may be missing.
pub(crate) async fn read_if_there<T: serde::de::DeserializeOwned>(
    container: &Container,
    partition_key: &client::PartitionKey,
    id: &str,
) -> Result<Option<client::AccountResponse<Item<T>>>> {
    match container.read::<T>(partition_key, id).await {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.kind() == AccountErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}
