//! All counters of one container.
//!
//! Owns the meters of its physical partitions, those split or merged away included, and the tables of the container.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use super::busiest::BusiestPartitions;
use super::heat::HeatWatch;
use super::meter::{Counts, Meter};
use super::operation_kind::OperationKind;
use super::shapes::Shapes;
use super::traffic::Traffic;
use super::written_paths::WrittenPaths;

/// The counters of one container.
#[derive(Debug, Default)]
pub(crate) struct ContainerUsage {
    meters: Mutex<BTreeMap<u32, Arc<Meter>>>,
    pub(crate) busiest: BusiestPartitions,
    pub(crate) shapes: Shapes,
    pub(crate) written_paths: WrittenPaths,
    pub(crate) traffic: Traffic,
    pub(crate) heat: HeatWatch,
    /// A request to several partitions is counted at each of them: by how much the sum over partitions is too high.
    repeated_requests: [AtomicU64; OperationKind::ALL.len()],
}

impl ContainerUsage {
    /// The meter of a physical partition.
    pub(crate) fn meter(&self, partition: u32) -> Arc<Meter> {
        let mut meters = self.meters.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(meters.entry(partition).or_default())
    }

    /// The meters of all partitions there ever were, by their numbers.
    pub(crate) fn meters(&self) -> BTreeMap<u32, Arc<Meter>> {
        self.meters.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn count_repeated(&self, kind: OperationKind, repeated: usize) {
        if let Some(counter) = self.repeated_requests.get(kind as usize).filter(|_| repeated > 0) {
            counter.fetch_add(repeated as u64, Relaxed);
        }
    }

    /// The counts of one operation in the whole container.
    pub(crate) fn counts(&self, kind: OperationKind) -> Counts {
        let mut sum = Counts::default();
        for meter in self.meters().values() {
            sum.add(&meter.counts(kind));
        }
        let repeated = self.repeated_requests.get(kind as usize);
        let repeated = repeated.map_or(0, |counter| counter.load(Relaxed));
        // The two counters are not read at one moment.
        sum.requests = sum.requests.saturating_sub(repeated);
        sum
    }
}
