//! The shapes of physical partitions, remembered between queries.
//!
//! Owns the lists of paths as they were at one state of a partition. Every commit of a partition writes its state anew,
//! so an equal state means equal shapes, whoever wrote them; at any other state the lists are read again. Does not own
//! the reading.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use storage::{Shard, StorageValue};

/// Partitions remembered at most.
const SHARDS_MAX: usize = 1_024;
/// Bytes of the lists of one partition: items that name their properties by chance have no end of shapes.
const LIST_BYTES_MAX: usize = 64 * 1024;

/// A set of indexed paths that items of a partition have.
#[derive(Clone, Debug)]
pub(in crate::query) struct Shape {
    pub(in crate::query::source) number: u128,
    /// One to a line.
    pub(in crate::query::source) paths: StorageValue,
}

impl Shape {
    pub(in crate::query::source) fn has(&self, path: &[u8]) -> bool {
        self.paths.split(|byte| *byte == b'\n').any(|known| known == path)
    }
}

/// Of each partition, its state and the shapes it had then.
type Known = HashMap<Shard, (StorageValue, Arc<[Shape]>)>;

/// The shapes of some partitions, shared by all requests.
#[derive(Default)]
pub(crate) struct ShapeCache {
    known: Mutex<Known>,
}

impl ShapeCache {
    /// The shapes of a partition in this state; none when they must be read.
    pub(in crate::query::source) fn at(
        &self,
        shard: Shard,
        state: &StorageValue,
    ) -> Option<Arc<[Shape]>> {
        let known = self.lock();
        let (known_state, shapes) = known.get(&shard)?;
        (known_state == state).then(|| Arc::clone(shapes))
    }

    pub(in crate::query::source) fn remember(
        &self,
        shard: Shard,
        state: &StorageValue,
        shapes: &Arc<[Shape]>,
    ) {
        if shapes.iter().map(|shape| shape.paths.len()).sum::<usize>() > LIST_BYTES_MAX {
            return;
        }
        // A list must not keep alive the block it was read from.
        let copied = shapes.iter().map(|shape| Shape {
            number: shape.number,
            paths: StorageValue::copy_from_slice(&shape.paths),
        });
        let copied = (StorageValue::copy_from_slice(state), copied.collect());
        let mut known = self.lock();
        if known.len() >= SHARDS_MAX && !known.contains_key(&shard) {
            known.clear();
        }
        known.insert(shard, copied);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
