//! One round of maintenance over all partitions.
//!
//! Owns the order of the steps and their bounds. Does not own the steps themselves.

use std::sync::{Arc, PoisonError};

use super::expiry::ExpireItems;
use super::listing::ListByCreation;
use super::reclaim::reclaim_shard;
use super::step::{MaintenanceStep, StepReport, StepTransaction};
use super::trim::TrimVersions;
use crate::catalog::{CatalogWrite, ContainerEntry};
use crate::engine::Engine;
use crate::error::{ErrorKind, Result};
use crate::item::WritePreparation;
use crate::metering::{Amount, OperationKind};
use crate::partition::{Completion, PhysicalPartition, retired_error};
use crate::throughput::MultiAdmission;

/// What one round of maintenance did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaintenanceReport {
    /// Expired items reclaimed.
    pub expired: usize,
    /// Items whose terms were rebuilt, or that were listed in the order of creation.
    pub rebuilt: usize,
    /// Superseded versions trimmed.
    pub trimmed: usize,
    /// Storage entries of retired shards and of old query results removed.
    pub reclaimed: usize,
    /// Whether another round would find work at once.
    pub more: bool,
}

impl Engine {
    /// Runs one round of maintenance now.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use planisphere_engine::{ContainerLink, Engine, operation::*};
    /// # let engine = Engine::in_memory().await?;
    /// # let orders = ContainerLink::new("shop", "orders")?;
    /// # let properties = model::DatabaseProperties { id: orders.database.clone() };
    /// # engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    /// # let key = model::PartitionKeyDefinition::single("/customer")?;
    /// # let properties = model::ContainerProperties::new(orders.container.clone(), key);
    /// # let database = orders.database.clone();
    /// # engine.create_container(CreateContainer { database, properties, throughput: None }).await?;
    /// # let ann = model::PartitionKey::from("ann");
    /// # let order = |text: &str| model::MeasuredJson::parse(text.as_bytes());
    /// # let id = model::ItemId::new("1")?;
    /// # let create = CreateItem {
    /// #     container: orders.clone(),
    /// #     partition_key: None,
    /// #     item: order(r#"{"id":"1","customer":"ann","total":5}"#)?,
    /// #     options: WriteOptions::default(),
    /// # };
    /// # engine.create_item(create).await?;
    /// engine.maintain().await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when the store fails.
    pub async fn maintain(&self) -> Result<MaintenanceReport> {
        // One round at a time: a second one would pay for and submit the same steps.
        let _round = self.core.maintaining.lock().await;
        let mut report = MaintenanceReport::default();
        for container in self.view().containers() {
            for partition in &container.map().partitions {
                match self.maintain_partition(&container, partition, &mut report).await {
                    // Split or merged since the map was read. Its successors have their turn in the next round.
                    Err(error) if error.kind() == ErrorKind::PartitionGone => {}
                    result => result?,
                }
            }
            self.forget_old_policies(&container).await?;
        }
        self.reclaim_shards(&mut report).await?;
        let entries_max = self.core.settings.maintenance_items_max;
        let results = &self.core.query_results;
        let removed = results.sweep(self.store(), self.now().0, entries_max).await?;
        report.reclaimed += removed;
        report.more |= removed > 0;
        self.count_round(&report);
        Ok(report)
    }

    fn count_round(&self, report: &MaintenanceReport) {
        let mut totals = self.core.maintained.lock().unwrap_or_else(PoisonError::into_inner);
        totals.rounds += 1;
        totals.expired += report.expired as u64;
        totals.rebuilt += report.rebuilt as u64;
        totals.trimmed += report.trimmed as u64;
        totals.reclaimed += report.reclaimed as u64;
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
        container: &Arc<ContainerEntry>,
        partition: &Arc<PhysicalPartition>,
        report: &mut MaintenanceReport,
    ) -> Result<()> {
        let items_max = self.core.settings.maintenance_items_max;
        // Expiry uses the throughput that requests have left over. A delete costs five request units at least.
        let left = container.throughput.gate.left_over(&partition.throughput, self.now());
        let affordable = left.map_or(usize::MAX, |left| usize::try_from(left / 5).unwrap_or(0));
        // None left is unlimited throughput. If nothing is left over, expired items wait: readers do not see them
        // anyway.
        let affordable = affordable.min(items_max);
        if affordable > 0 {
            let step = self.expire(container, partition, affordable).await?;
            report.expired += step.handled;
            report.more |= step.more;
            if step.handled > 0 {
                // Expiry is charged like deletes, but it is never throttled: it only uses what is left over.
                let request = self.metered(OperationKind::Expiry);
                let paid = vec![Arc::clone(&partition.throughput)];
                let throughput = &container.throughput;
                MultiAdmission::already_admitted(throughput, paid, request, None)
                    .debit(step.charge, Amount { items: step.handled, bytes: 0 });
            }
        }
        // Asked first: a transaction for nothing, in every partition and every round, would not be free.
        if !partition.published.is_listed() {
            let step = StepTransaction::new(ListByCreation { items_max });
            let step = self.run_step(partition, step).await?;
            report.rebuilt += step.handled;
            report.more |= step.more;
        }
        let step = self.rebuild(container, partition, items_max).await?;
        report.rebuilt += step.handled;
        report.more |= step.more;
        let step = StepTransaction::new(TrimVersions { items_max });
        let step = self.run_step(partition, step).await?;
        report.trimmed += step.handled;
        report.more |= step.more;
        Ok(())
    }

    pub(super) async fn run_step<S: MaintenanceStep>(
        &self,
        partition: &PhysicalPartition,
        step: StepTransaction<S>,
    ) -> Result<StepReport> {
        match partition.submit(step).await {
            Completion::Committed(_, report, _) => Ok(report),
            Completion::Failed(error, _) => Err(error),
            // Not submitted to the successor, unlike a client's write: the step belongs to this partition's cursors.
            Completion::Retired(_) | Completion::TooLong(..) => {
                Err(retired_error(partition.identity.number))
            }
        }
    }

    /// Runs a step that may meet large items, whose removal is prepared outside of the writer.
    async fn expire(
        &self,
        container: &Arc<ContainerEntry>,
        partition: &PhysicalPartition,
        items_max: usize,
    ) -> Result<StepReport> {
        let mut preparation = WritePreparation::default();
        let mut step = StepTransaction::new(ExpireItems { items_max });
        loop {
            match partition.submit(step).await {
                Completion::Committed(_, report, _) => return Ok(report),
                Completion::Failed(error, _) => return Err(error),
                Completion::Retired(_) => return Err(retired_error(partition.identity.number)),
                Completion::TooLong(returned, key) => {
                    preparation.want(key.clone())?;
                    let prepared =
                        self.prepare(container, partition, returned, key, &mut preparation);
                    step = prepared.await?;
                }
            }
        }
    }

    /// Once every partition follows the newest policy, the catalog forgets the others.
    async fn forget_old_policies(&self, container: &Arc<ContainerEntry>) -> Result<()> {
        let generation = container.compiled().generation;
        let follow = |partition: &Arc<PhysicalPartition>| {
            partition.published.index_progress().1 == generation
        };
        // Cheap first look without the lock; it is true in nearly every round.
        if container.record().older_policies.is_empty()
            || !container.map().partitions.iter().all(follow)
        {
            return Ok(());
        }
        // Checked again under the lock: the policy may have been replaced, or the container deleted, since the first
        // look.
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
            // Checked again under the lock: a split may have started to use the shard since the list was read.
            let mut catalog = self.core.catalog.lock().await;
            if self.core.is_building(shard) || !catalog.read_reclaim_mark(shard).await? {
                continue;
            }
            // Under the catalog lock, so that no split can start to use the shard meanwhile. The step is bounded, and
            // so is the wait.
            let removed =
                reclaim_shard(self.store(), shard, self.core.settings.maintenance_items_max)
                    .await?;
            report.reclaimed += removed;
            if removed > 0 {
                report.more = true;
                continue;
            }
            let mut write = CatalogWrite::default();
            // Only when it is empty. If this commit is lost, the next round finds an empty shard and removes the mark
            // again.
            write.keep(shard);
            catalog.commit(write).await?;
        }
        Ok(())
    }
}
