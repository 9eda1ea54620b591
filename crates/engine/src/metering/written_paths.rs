//! Which indexes written items pay for, from a sample of writes.
//!
//! Owns how much each indexed path and composite index has cost in the sample. Bounded: the first writes are all
//! sampled, then one of sixteen; paths beyond a maximum are not counted. The prices are in `model::charge`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use model::charge::{IndexCostKind, index_costs};
use model::{IndexingPolicy, Json};

/// Writes that are all sampled.
const FIRST_WRITES: u64 = 64;
/// After these, one write of this many is sampled.
const ONE_OF: u64 = 16;
const PATHS_MAX: usize = 512;

/// The written paths of one container.
#[derive(Debug, Default)]
pub(crate) struct WrittenPaths {
    writes: AtomicU64,
    sample: Mutex<WriteSample>,
}

/// What the sampled writes have cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WriteSample {
    /// Writes in the sample.
    pub(crate) writes: u64,
    /// What each indexed path has cost, in 1/21 request units; a composite index has its paths joined by commas.
    pub(crate) index_units: BTreeMap<String, u64>,
}

impl WrittenPaths {
    /// Counts a write and returns whether it belongs to the sample.
    pub(crate) fn select(&self) -> bool {
        let number = self.writes.fetch_add(1, Relaxed);
        number < FIRST_WRITES || number.is_multiple_of(ONE_OF)
    }

    /// Adds a written item to the sample.
    pub(crate) fn add(&self, item: &Json, policy: &IndexingPolicy) {
        // Before the lock: it traverses the item.
        let costs = index_costs(policy, item);
        let mut sample = self.sample.lock().unwrap_or_else(PoisonError::into_inner);
        sample.writes += 1;
        for cost in costs {
            // Reports of queries list no other kinds, so that their use is unknown.
            if !matches!(cost.kind, IndexCostKind::Leaf | IndexCostKind::Composite) {
                continue;
            }
            let is_full = sample.index_units.len() >= PATHS_MAX;
            // Items with computed property names must not grow the map without bound.
            if !is_full || sample.index_units.contains_key(&cost.path) {
                *sample.index_units.entry(cost.path).or_default() += cost.units;
            }
        }
    }

    pub(crate) fn sample(&self) -> WriteSample {
        self.sample.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
