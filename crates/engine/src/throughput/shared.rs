//! Throughput that the containers of a database share: one set of buckets per database.
//!
//! Owns the sets by database, and which bucket of a set a physical partition uses. Does not own the throughput itself:
//! the catalog tells it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use model::limits::THROUGHPUT_PER_PARTITION_MAX;
use model::{ResourceId, Throughput};

use super::bucket::{Bucket, Rate};
use super::gate::Gate;
use crate::catalog::DatabaseRecord;
use crate::engine::Engine;

/// The buckets of one database.
#[derive(Debug, Default)]
pub(crate) struct SharedThroughput {
    per_bucket: AtomicU32,
    buckets: RwLock<Vec<Arc<Bucket>>>,
}

impl SharedThroughput {
    /// Divides throughput evenly. Like physical partitions, buckets become more and never fewer.
    pub(crate) fn set(&self, throughput: Throughput, highest_ever: u32) {
        let highest = highest_ever.max(throughput.highest());
        let count = Throughput::Manual(highest).partitions_at_creation().max(1);
        let mut buckets = self.buckets.write().unwrap_or_else(PoisonError::into_inner);
        while buckets.len() < count as usize {
            buckets.push(Arc::default());
        }
        let count = u32::try_from(buckets.len()).unwrap_or(u32::MAX);
        let per_bucket = (throughput.highest() / count).min(THROUGHPUT_PER_PARTITION_MAX);
        self.per_bucket.store(per_bucket, Ordering::Relaxed);
    }

    /// The bucket of one physical partition of a container, with its share.
    pub(super) fn bucket(&self, container: &ResourceId, partition: u32) -> (Arc<Bucket>, Rate) {
        let mut place = partition as usize;
        for byte in container.as_bytes() {
            place = place.wrapping_mul(31).wrapping_add(usize::from(*byte));
        }
        let buckets = self.buckets.read().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.get(place % buckets.len().max(1)).cloned().unwrap_or_default();
        (bucket, Rate(self.per_bucket.load(Ordering::Relaxed)))
    }

    pub(super) fn rate(&self) -> Rate {
        Rate(self.per_bucket.load(Ordering::Relaxed))
    }
}

/// The sets of all databases that share throughput.
#[derive(Debug, Default)]
pub(crate) struct SharedThroughputs(Mutex<HashMap<ResourceId, Arc<SharedThroughput>>>);

impl SharedThroughputs {
    /// The set of a database, made when it is first asked for.
    pub(crate) fn of(&self, database: ResourceId) -> Arc<SharedThroughput> {
        let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(sets.entry(database).or_default())
    }

    /// Forgets a database that is gone.
    pub(crate) fn forget(&self, database: ResourceId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&database);
    }
}

impl Engine {
    /// Follows the throughput that a database shares among its containers.
    pub(crate) fn share_throughput(&self, database: &DatabaseRecord) {
        if let Some(record) = &database.throughput {
            let shared = self.core.shared_throughputs.of(database.rid);
            shared.set(record.throughput, record.highest_ever);
        }
    }

    /// The gate of a container, closed to nobody yet.
    pub(crate) fn gate_of(&self, container: &ResourceId) -> Gate {
        let database = container.database_id().unwrap_or(*container);
        Gate::new(self.core.shared_throughputs.of(database))
    }
}
