//! Verifies the account: the partition maps, then partition by partition.
//!
//! Owns the order of the checks and those of maps and counters. Entries are compared in `forward` (every item has its
//! entries) and `reverse` (every entry has its item).

use std::collections::HashSet;
use std::sync::Arc;

use model::{EffectivePartitionKey, Lsn};
use storage::{Read, Shard};

use super::report::{PartitionReport, VerifyProgress, VerifyReport};
use crate::catalog::ContainerEntry;
use crate::container::CompiledProperties;
use crate::engine::Engine;
use crate::error::Result;
use crate::key_layout::{STATE, STATE_KEY};
use crate::partition::{PartitionState, PhysicalPartition};

/// One partition under verification.
pub(crate) struct PartitionVerification<'verify> {
    pub(crate) view: &'verify dyn Read,
    pub(crate) container: &'verify ContainerEntry,
    pub(crate) compiled: &'verify CompiledProperties,
    pub(crate) partition: &'verify PhysicalPartition,
    pub(crate) state: PartitionState,
    pub(crate) newest: Lsn,
    pub(crate) report: &'verify mut VerifyReport,
    pub(crate) progress: &'verify mut (dyn FnMut(VerifyProgress) + Send),
    pub(crate) done: VerifyProgress,
}

impl PartitionVerification<'_> {
    pub(crate) fn find(&mut self, text: impl Into<String>) {
        let number = self.partition.identity.number;
        self.report.find(Some(&self.container.link), Some(number), text);
    }

    pub(crate) fn shard(&self) -> Shard {
        self.partition.identity.shard
    }
}

impl Engine {
    /// Checks the whole account: every index term, unique key, change and counter against the items, in both
    /// directions. Meant for an idle account; concurrent writes are not checked.
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
    /// let report = engine.verify(&mut |_| {}).await?;
    /// assert!(report.is_consistent());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Unavailable` when the store cannot be read. What can be read but contradicts itself is in the report.
    pub async fn verify(
        &self,
        progress: &mut (dyn FnMut(VerifyProgress) + Send),
    ) -> Result<VerifyReport> {
        let mut report = VerifyReport::default();
        let containers = self.view().containers();
        self.verify_maps(&containers, &mut report).await?;
        let partitions: Vec<_> = containers
            .iter()
            .flat_map(|container| {
                container.map().partitions.clone().into_iter().map(move |each| (container, each))
            })
            .collect();
        let items_all = partitions.iter().map(|(_, each)| each.published.usage().items).sum();
        let mut done = VerifyProgress { items_done: 0, items_all };
        for (container, partition) in partitions {
            // Before the snapshot: an account that is written to meanwhile may produce false findings, but a newer lsn
            // would hide real ones.
            let newest = partition.published.lsn();
            // One snapshot per partition and not one for all: an old snapshot keeps superseded data in the store
            // alive.
            let view = self.store().snapshot().await?;
            let stored = view.get(partition.identity.shard, STATE, STATE_KEY).await?;
            let state = stored
                .map_or(Ok(PartitionState::default()), |bytes| PartitionState::decode(&bytes));
            let state = match state {
                Ok(state) => state,
                Err(error) => {
                    let number = partition.identity.number;
                    report.find(Some(&container.link), Some(number), error.to_string());
                    // Without a state nothing else of the partition can be judged; the finding is enough.
                    continue;
                }
            };
            let compiled = container.compiled();
            let mut verification = PartitionVerification {
                view: view.as_ref(),
                container,
                compiled: &compiled,
                partition: &partition,
                state,
                newest,
                report: &mut report,
                progress: &mut *progress,
                done: done.clone(),
            };
            verification.run().await?;
            done = verification.done;
        }
        Ok(report)
    }

    /// Checks that ranges have no gaps, that shards are used once and that none in use is marked for reclaiming.
    async fn verify_maps(
        &self,
        containers: &[Arc<ContainerEntry>],
        report: &mut VerifyReport,
    ) -> Result<()> {
        // The lock is released at the end of this statement: the check must not hold up changes of the catalog.
        let reclaimed = self.core.catalog.lock().await.shards_to_reclaim().await?;
        let mut used = HashSet::new();
        for container in containers {
            let map = container.map();
            let mut expected = EffectivePartitionKey::MIN;
            for partition in &map.partitions {
                let number = Some(partition.identity.number);
                if partition.range.min != expected {
                    report.find(
                        Some(&container.link),
                        number,
                        "the partition map has a gap or an overlap",
                    );
                }
                expected = partition.range.max.clone();
                let shard = partition.identity.shard;
                if !used.insert(shard) || reclaimed.contains(&shard) {
                    report.find(
                        Some(&container.link),
                        number,
                        "its shard is used twice or marked for reclaiming",
                    );
                }
            }
            if expected != EffectivePartitionKey::MAX {
                report.find(
                    Some(&container.link),
                    None,
                    "the partition map does not reach the end",
                );
            }
        }
        Ok(())
    }
}

impl PartitionVerification<'_> {
    async fn run(&mut self) -> Result<()> {
        let expected = self.check_items().await?;
        let (items, item_bytes) = (expected.items, expected.item_bytes);
        if (self.state.items, self.state.item_bytes) != (items, item_bytes) {
            self.find(format!(
                "the counters say {} items of {} bytes, there are {items} of {item_bytes}",
                self.state.items, self.state.item_bytes
            ));
        }
        let terms = self.check_entries(&expected).await?;
        let versions = self.check_versions().await?;
        self.report.partitions.push(PartitionReport {
            container: self.container.link.clone(),
            partition: self.partition.identity.number,
            items,
            item_bytes,
            terms,
            versions,
            lsn: self.newest,
        });
        Ok(())
    }
}
