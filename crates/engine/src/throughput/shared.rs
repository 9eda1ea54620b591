//! Throughput that the containers of a database share: one set of buckets per database.
//!
//! Owns the sets by database, and which bucket of a set a physical partition uses. Does not own the throughput itself:
//! the catalog sets it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use model::limits::THROUGHPUT_PER_PARTITION_MAX;
use model::{ResourceId, Throughput};

use super::bucket::{Bucket, RefillRate};
use super::gate::Gate;

/// The buckets of one database.
#[derive(Debug, Default)]
pub(crate) struct SharedThroughput {
    per_bucket: AtomicU32,
    buckets: RwLock<Vec<Arc<Bucket>>>,
}

impl SharedThroughput {
    /// Divides throughput evenly. Like physical partitions, buckets are added and never removed.
    pub(crate) fn set(&self, throughput: Throughput, highest_ever: u32) {
        let highest = highest_ever.max(throughput.highest());
        let count = Throughput::Manual(highest).partitions_at_creation().max(1);
        let mut buckets = self.buckets.write().unwrap_or_else(PoisonError::into_inner);
        while buckets.len() < count as usize {
            buckets.push(Arc::default());
        }
        // The number there is, not the one wanted: buckets of a higher throughput before stay and share what there is
        // now.
        let count = u32::try_from(buckets.len()).unwrap_or(u32::MAX);
        let per_bucket = (throughput.highest() / count).min(THROUGHPUT_PER_PARTITION_MAX);
        self.per_bucket.store(per_bucket, Ordering::Relaxed);
    }

    /// The bucket of one physical partition of a container, with its share.
    pub(super) fn bucket(
        &self,
        container: &ResourceId,
        partition: u32,
    ) -> (Arc<Bucket>, RefillRate) {
        let mut index = partition as usize;
        for byte in container.as_bytes() {
            // Any spread will do, but it must not change: a partition has to find the bucket it has debited.
            index = index.wrapping_mul(31).wrapping_add(usize::from(*byte));
        }
        let buckets = self.buckets.read().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.get(index % buckets.len().max(1)).cloned().unwrap_or_default();
        (bucket, RefillRate(self.per_bucket.load(Ordering::Relaxed)))
    }

    pub(super) fn rate(&self) -> RefillRate {
        RefillRate(self.per_bucket.load(Ordering::Relaxed))
    }
}

/// The sets of all databases that share throughput.
#[derive(Debug, Default)]
pub(crate) struct SharedThroughputs(Mutex<HashMap<ResourceId, Arc<SharedThroughput>>>);

impl SharedThroughputs {
    /// The gate of a container of some database; nothing is enforced yet.
    pub(crate) fn gate(&self, container: ResourceId) -> Gate {
        Gate::new(container, self.database(container.database_id().unwrap_or(container)))
    }

    /// The buckets of a database, created when they are first asked for.
    pub(crate) fn database(&self, database: ResourceId) -> Arc<SharedThroughput> {
        // Locked when a container starts, not per request: its gate keeps the result.
        let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(sets.entry(database).or_default())
    }

    /// Forgets a database that is gone.
    pub(crate) fn forget(&self, database: ResourceId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&database);
    }
}
