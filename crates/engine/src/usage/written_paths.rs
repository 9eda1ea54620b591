//! Which indexes written items pay for, from a sample of writes.
//!
//! Owns how much each indexed path and composite index has cost in the sample. Bounded: every write of the first ones
//! is looked at, then one of sixteen; paths beyond a number are not told apart. The prices are `model::charge`'s.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use model::charge::{IndexCostKind, index_costs};
use model::{Json, Object};

use crate::catalog::ContainerLive;

/// Writes that are all looked at.
const FIRST_WRITES: u64 = 64;
/// After these, one of so many.
const ONE_OF: u64 = 16;
const PATHS_MAX: usize = 512;

/// The written paths of one container.
#[derive(Debug, Default)]
pub(crate) struct WrittenPaths {
    writes: AtomicU64,
    sample: Mutex<Sample>,
}

/// What a sample of writes has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sample {
    /// Writes looked at.
    pub(crate) writes: u64,
    /// What each indexed path has cost, in 1/21 request units; a composite index has its paths joined by commas.
    pub(crate) index_units: BTreeMap<String, u64>,
}

impl WrittenPaths {
    /// Whether this write is one to look at.
    pub(crate) fn is_next_in_sample(&self) -> bool {
        let number = self.writes.fetch_add(1, Relaxed);
        number < FIRST_WRITES || number.is_multiple_of(ONE_OF)
    }

    /// Looks at a written item.
    pub(crate) fn look_at(&self, object: &Object, live: &ContainerLive) {
        let item = Json::Object(object.clone());
        let costs = index_costs(&live.properties.indexing_policy, &item);
        let mut sample = self.sample.lock().unwrap_or_else(PoisonError::into_inner);
        sample.writes += 1;
        for cost in costs {
            // Reports of queries name no other kinds, so that nobody could say whether they are used.
            if !matches!(cost.kind, IndexCostKind::Leaf | IndexCostKind::Composite) {
                continue;
            }
            let is_full = sample.index_units.len() >= PATHS_MAX;
            if !is_full || sample.index_units.contains_key(&cost.path) {
                *sample.index_units.entry(cost.path).or_default() += cost.units;
            }
        }
    }

    pub(crate) fn sample(&self) -> Sample {
        self.sample.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
