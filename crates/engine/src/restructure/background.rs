//! Splits in the background: which partitions are due, one after another.
//!
//! Owns the two reasons: the throughput of a container needs more partitions than it has, or a partition is too large
//! or too hot by [`AutoSplit`]. Nothing is stored about a split that is due: it follows from the stored throughput,
//! from the counters of the partitions and from the load, so that a crash forgets nothing. Does not own the copying:
//! see `replace`.

use std::sync::Arc;
use std::time::Duration;

use model::EpkRange;

use super::cut::find_cut;
use super::replace::replace_partitions;
use crate::catalog::ContainerEntry;
use crate::engine::Engine;
use crate::error::{ErrorKind, Result};
use crate::key_layout::ItemKeyView;
use crate::metering::HeatSample;
use crate::partition::PhysicalPartition;
use crate::settings::AutoSplit;

/// How many physical partitions were split, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DueSplits {
    /// Because the throughput of the container needs more of them.
    pub by_throughput: usize,
    /// Because they were too large.
    pub by_size: usize,
    /// Because they were too hot.
    pub by_heat: usize,
}

impl Engine {
    /// Splits all physical partitions that are due now. An engine with maintenance does this by itself.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when the store fails. What was not split is due again.
    pub async fn split_due_partitions(&self) -> Result<DueSplits> {
        // One copy at a time in the whole account: each one reads and writes as fast as the store allows.
        let _turn = self.core.splitting.lock().await;
        let (mut done, mut failed) = (DueSplits::default(), None);
        // A store that refuses writes would let every attempt copy in vain.
        if self.write_failure().is_some() {
            return Ok(done);
        }
        for container in self.view().containers() {
            match self.split_due_of(&container, &mut done).await {
                // Deleted, split or merged meanwhile.
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::OwnerNotFound | ErrorKind::PartitionGone
                    ) => {}
                // The other containers have their turn all the same.
                result => failed = failed.or(result.err()),
            }
        }
        failed.map_or(Ok(done), Err)
    }

    async fn split_due_of(
        &self,
        container: &Arc<ContainerEntry>,
        done: &mut DueSplits,
    ) -> Result<()> {
        // Looked at again after each split: the throughput may have been replaced meanwhile.
        while let Some((source, ranges)) = due_for_throughput(container) {
            self.split_into(container, source, ranges).await?;
            done.by_throughput += 1;
        }
        let Some(rule) = self.core.settings.auto_split else { return Ok(()) };
        for partition in &container.map().partitions {
            let is_hot = self.observe_heat(container, partition, rule);
            let is_large = partition.published.usage().item_bytes > rule.item_bytes_max;
            if !is_hot && !is_large {
                continue;
            }
            // A partition with one logical partition stays whole however large it is. Asking costs two reads.
            let cut = find_cut(self, &container.identity, partition).await?;
            let halves = cut.and_then(|cut| partition.range.split_at(&cut));
            let Some((below, from)) = halves else { continue };
            self.split_into(container, Arc::clone(partition), vec![below, from]).await?;
            if is_large {
                done.by_size += 1;
            } else {
                done.by_heat += 1;
            }
        }
        let numbers: Vec<u32> =
            container.map().partitions.iter().map(|each| each.identity.number).collect();
        container.throughput.usage.heat.keep(&numbers);
        Ok(())
    }

    fn observe_heat(
        &self,
        container: &ContainerEntry,
        partition: &PhysicalPartition,
        rule: AutoSplit,
    ) -> bool {
        let usage = &container.throughput.usage;
        let sample = HeatSample {
            partition: partition.identity.number,
            now: self.now(),
            spent: usage.meter(partition.identity.number).spent(),
            busiest: &usage.busiest,
        };
        let is_inside = |logical: &[u8]| {
            partition.range.contains(&ItemKeyView::checked(logical, logical.len()).epk())
        };
        usage.heat.observe(&sample, rule.request_units_max, is_inside)
    }

    async fn split_into(
        &self,
        container: &Arc<ContainerEntry>,
        source: Arc<PhysicalPartition>,
        ranges: Vec<EpkRange>,
    ) -> Result<()> {
        let (engine, container) = (self.clone(), Arc::clone(container));
        let split = async move { replace_partitions(&engine, &container, &[source], ranges).await };
        // On a task of its own: a caller that goes away must not stop the switch half way.
        self.uninterrupted(split).await.map(|_| ())
    }

    /// Looks for partitions to split until the engine is closed or dropped: after a change of throughput at once, and
    /// otherwise as often as maintenance runs. Not as a part of its rounds: they are bounded, and a split is not.
    pub(crate) fn start_splitting(&self) {
        let core = Arc::downgrade(&self.core);
        let environment = self.core.environment.clone();
        let due = Arc::clone(&self.core.split_due);
        let interval = Duration::from_millis(self.core.settings.maintenance_every_ms);
        self.core.environment.spawn(async move {
            loop {
                tokio::select! {
                    () = environment.sleep(interval) => {}
                    () = due.notified() => {}
                }
                // Held only while it looks and splits: an engine that is dropped in between is gone at once.
                let Some(core) = core.upgrade() else { return };
                let engine = Self::of_core(core);
                if engine.is_closed() {
                    return;
                }
                // A failed split leaves everything as it was; it is due again the next time.
                let _ = engine.split_due_partitions().await;
            }
        });
    }
}

/// The next partition to split for the throughput of a container, and the ranges it is split into.
fn due_for_throughput(
    container: &ContainerEntry,
) -> Option<(Arc<PhysicalPartition>, Vec<EpkRange>)> {
    let (map, needed) = (container.map(), container.partitions_min() as usize);
    if map.partitions.len() >= needed {
        return None;
    }
    let ranges: Vec<EpkRange> = map.partitions.iter().map(|each| each.range.clone()).collect();
    let divided = EpkRange::divide(&ranges, needed, &container.identity.definition);
    let mut due = map.partitions.iter().cloned().zip(divided);
    due.find(|(_, parts)| parts.len() > 1)
}
