//! Background work: expiry, trimming, rebuilds, reclaiming of retired shards.
//!
//! Owns one round over all partitions and the loop that repeats it. Each step is bounded, so that requests keep their
//! share. Does not own the steps themselves.

use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::catalog::{CatalogWrite, Container};
use crate::engine::{Core, Engine};
use crate::error::{ErrorKind, Result};
use crate::partition::{MaintenanceWork, Partition, Work, WorkAnswer, reclaim_shard};
use crate::usage::{Amount, OperationKind, Visits};

/// What one round of maintenance did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaintenanceReport {
    /// Expired items reclaimed.
    pub expired: usize,
    /// Items whose terms were rebuilt.
    pub rebuilt: usize,
    /// Superseded versions trimmed.
    pub trimmed: usize,
    /// Storage entries of retired shards removed.
    pub reclaimed: usize,
    /// Whether another round would find work at once.
    pub more: bool,
}

impl Engine {
    /// Runs one round of maintenance now.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when the store fails.
    pub async fn maintain(&self) -> Result<MaintenanceReport> {
        let _round = self.core.maintaining.lock().await;
        let mut report = MaintenanceReport::default();
        for container in self.view().containers() {
            for partition in &container.map().partitions {
                match self.maintain_partition(&container, partition, &mut report).await {
                    Err(error) if error.kind() == ErrorKind::PartitionGone => {}
                    result => result?,
                }
            }
            self.forget_old_policies(&container).await?;
        }
        self.reclaim_shards(&mut report).await?;
        Ok(report)
    }

    /// Runs rounds until nothing is left to do.
    ///
    /// # Errors
    /// Those of [`Engine::maintain`].
    pub async fn maintain_fully(&self) -> Result<MaintenanceReport> {
        let mut sum = MaintenanceReport::default();
        loop {
            let report = self.maintain().await?;
            sum.expired += report.expired;
            sum.rebuilt += report.rebuilt;
            sum.trimmed += report.trimmed;
            sum.reclaimed += report.reclaimed;
            if !report.more {
                return Ok(sum);
            }
        }
    }

    async fn maintain_partition(
        &self,
        container: &Container,
        partition: &Arc<Partition>,
        report: &mut MaintenanceReport,
    ) -> Result<()> {
        let items_max = self.core.settings.maintenance_items_max;
        // Reclaiming takes what requests have left: a delete costs five request units at least.
        let left = container.left_over(partition, self.now());
        let affordable = left.map_or(usize::MAX, |left| usize::try_from(left / 5).unwrap_or(0));
        let affordable = affordable.min(items_max);
        let steps = [
            MaintenanceWork::Expire { items_max: affordable },
            MaintenanceWork::Rebuild { items_max },
            MaintenanceWork::Trim { items_max },
        ];
        for step in steps {
            if step == (MaintenanceWork::Expire { items_max: 0 }) {
                continue;
            }
            let submitted = partition.submit(Work::Maintenance(step)).await;
            let (answer, _) = submitted.map_err(|failure| failure.error)?;
            let WorkAnswer::Maintained { handled, charge, more } = answer else { continue };
            match step {
                MaintenanceWork::Expire { .. } => {
                    report.expired += handled;
                    if handled > 0 {
                        let kind = OperationKind::Expiry;
                        let paid = vec![Arc::clone(partition)];
                        let visits = Visits::ended(container, paid, kind, self.now(), None);
                        visits.spent(charge, Amount { items: handled, bytes: 0 });
                    }
                }
                MaintenanceWork::Rebuild { .. } => report.rebuilt += handled,
                MaintenanceWork::Trim { .. } => report.trimmed += handled,
            }
            report.more |= more;
        }
        Ok(())
    }

    /// Once every partition follows the newest policy, the catalog forgets the others.
    async fn forget_old_policies(&self, container: &Arc<Container>) -> Result<()> {
        let generation = container.live().generation;
        let follow = |partition: &Arc<Partition>| partition.published.index().1 == generation;
        if container.record().older_policies.is_empty()
            || !container.map().partitions.iter().all(follow)
        {
            return Ok(());
        }
        let mut catalog = self.core.catalog.lock().await;
        let mut record = container.record();
        let is_stored =
            self.container(&container.link).is_ok_and(|known| Arc::ptr_eq(&known, container));
        if record.generation != generation || !is_stored {
            return Ok(());
        }
        record.older_policies.clear();
        let mut write = CatalogWrite::default();
        write.put_container(&container.link.database, &record);
        catalog.commit(write).await?;
        container.replace_record(record);
        Ok(())
    }

    async fn reclaim_shards(&self, report: &mut MaintenanceReport) -> Result<()> {
        let shards = self.core.catalog.lock().await.shards_to_reclaim().await?;
        for shard in shards {
            // Looked up again under the lock: a split may have taken the shard into use since the list was read.
            let mut catalog = self.core.catalog.lock().await;
            if self.core.is_building(shard) || !catalog.is_to_reclaim(shard).await? {
                continue;
            }
            let removed =
                reclaim_shard(self.store(), shard, self.core.settings.maintenance_items_max)
                    .await?;
            report.reclaimed += removed;
            if removed > 0 {
                report.more = true;
                continue;
            }
            let mut write = CatalogWrite::default();
            write.keep(shard);
            catalog.commit(write).await?;
        }
        Ok(())
    }
}

/// Repeats rounds until the engine is closed or dropped.
pub(crate) fn start(engine: &Engine) {
    let core: Weak<Core> = Arc::downgrade(&engine.core);
    let environment = engine.core.environment.clone();
    let every = Duration::from_millis(engine.core.settings.maintenance_every_ms);
    engine.core.environment.spawn(async move {
        loop {
            environment.sleep(every).await;
            let Some(core) = core.upgrade() else { return };
            let engine = Engine { core };
            if engine.is_closed() {
                return;
            }
            // A failed round leaves everything as it was; the next one tries again, and requests see the store's
            // error themselves.
            let _ = engine.maintain().await;
        }
    });
}
