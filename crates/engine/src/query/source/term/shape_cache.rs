//! Cache of the shapes of physical partitions.
//!
//! An entry is valid for one state of its partition: every commit writes the state anew, so an equal state implies
//! equal shapes, whichever process wrote them. For any other state the shapes are read again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use storage::{Shard, StorageValue};

/// Number of partitions cached.
const PARTITIONS_MAX: usize = 1_024;
/// Partitions with larger shapes are not cached: items with generated property names have any number of shapes.
const SHAPES_BYTES_MAX: usize = 64 * 1024;

/// A set of indexed paths that some items of a partition have.
#[derive(Clone, Debug)]
pub(in crate::query) struct Shape {
    pub(in crate::query::source) number: u128,
    /// The paths, separated by newlines.
    pub(in crate::query::source) paths: StorageValue,
}

impl Shape {
    pub(in crate::query::source) fn has(&self, path: &[u8]) -> bool {
        self.paths.split(|byte| *byte == b'\n').any(|known| known == path)
    }
}

/// The state and the shapes of each partition.
type CachedShapes = HashMap<Shard, (StorageValue, Arc<[Shape]>)>;

/// Shapes of partitions, shared by all requests.
#[derive(Default)]
pub(crate) struct ShapeCache {
    shapes: Mutex<CachedShapes>,
}

impl ShapeCache {
    /// The shapes of a partition in this state; `None` if they must be read.
    pub(in crate::query::source) fn get(
        &self,
        shard: Shard,
        state: &StorageValue,
    ) -> Option<Arc<[Shape]>> {
        let cached = self.lock();
        let (cached_state, shapes) = cached.get(&shard)?;
        // Byte by byte: `writes` in the state grows with every write, so two different contents never have equal
        // states.
        (cached_state == state).then(|| Arc::clone(shapes))
    }

    pub(in crate::query::source) fn insert(
        &self,
        shard: Shard,
        state: &StorageValue,
        shapes: &Arc<[Shape]>,
    ) {
        if shapes.iter().map(|shape| shape.paths.len()).sum::<usize>() > SHAPES_BYTES_MAX {
            return;
        }
        // Copy, or the small slices would keep the storage blocks alive that they point into.
        let copied = shapes.iter().map(|shape| Shape {
            number: shape.number,
            paths: StorageValue::copy_from_slice(&shape.paths),
        });
        let copied = (StorageValue::copy_from_slice(state), copied.collect());
        let mut cached = self.lock();
        // Reset when full: simple, and with more partitions than entries any policy would mostly miss.
        if cached.len() >= PARTITIONS_MAX && !cached.contains_key(&shard) {
            cached.clear();
        }
        cached.insert(shard, copied);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CachedShapes> {
        self.shapes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
