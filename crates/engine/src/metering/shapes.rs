//! The charges of a container's queries by shape, and the index paths they used.
//!
//! Owns two bounded tables. If the table is full, a new shape replaces the cheapest one and inherits its charge as
//! possible excess (the space-saving algorithm), so that an expensive shape is never lost. Does not own the rule of a
//! shape: see `shape`.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use model::RequestCharge;
use query::plan::metrics::IndexMetrics;

use super::shape::shape;

const SHAPES_MAX: usize = 256;
/// Texts whose shape is cached.
const TEXTS_MAX: usize = 256;
/// Used paths kept.
const PATHS_MAX: usize = 1024;
/// Potential indexes kept per shape.
const HELPS_MAX: usize = 8;
/// Longer shapes are truncated.
const SHAPE_CHARACTERS_MAX: usize = 1000;

/// The queries of one container.
#[derive(Debug, Default)]
pub(crate) struct Shapes(Mutex<ShapeTables>);

#[derive(Debug, Default)]
struct ShapeTables {
    shapes: HashMap<Arc<str>, ShapeUse>,
    texts: HashMap<String, Arc<str>>,
    used_paths: BTreeSet<String>,
}

/// The usage of one shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ShapeUse {
    /// Pages.
    pub(crate) requests: u64,
    pub(crate) charge: RequestCharge,
    /// How much of the charge may belong to others.
    pub(crate) excess: RequestCharge,
    /// Pages that were not restricted to one logical partition.
    pub(crate) across: u64,
    /// Physical partitions read.
    pub(crate) partitions: u64,
    /// Pages that read items without an index.
    pub(crate) scans: u64,
    pub(crate) retrieved_items: u64,
    pub(crate) output_items: u64,
    /// The generation of the indexing policy for which its index metrics were computed last.
    metrics_generation: Option<u32>,
    /// Single paths that would help.
    pub(crate) helping_paths: BTreeSet<String>,
    /// Composite indexes that would help; paths with directions.
    pub(crate) helping_composites: BTreeSet<Vec<String>>,
}

/// One page of a query, to be counted.
pub(crate) struct PageUse<'a> {
    pub(crate) text: &'a str,
    pub(crate) charge: RequestCharge,
    pub(crate) is_across: bool,
    pub(crate) partitions: usize,
    /// Whether items were read without an index.
    pub(crate) is_scan: bool,
    pub(crate) retrieved_items: u64,
    pub(crate) output_items: u64,
    /// The generation of the indexing policy.
    pub(crate) generation: u32,
    /// Computes which indexes the query used or could use. Expensive; called once per shape and policy.
    pub(crate) index_metrics: &'a (dyn Fn() -> IndexMetrics + Sync),
}

impl Shapes {
    pub(crate) fn count(&self, page: &PageUse<'_>) {
        // One lock for both tables. It is held for a look-up and some additions; once per shape and policy also for
        // the metrics.
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let shape = tables.shape_of(page.text);
        let used = tables.entry(&shape);
        used.count(page);
        // The result depends only on the shape and the indexing policy.
        if used.metrics_generation.replace(page.generation) != Some(page.generation) {
            let metrics = (page.index_metrics)();
            used.add_potential_indexes(&metrics);
            tables.add_used_paths(&metrics);
        }
    }

    /// All shapes, the most expensive first.
    pub(crate) fn all(&self) -> Vec<(Arc<str>, ShapeUse)> {
        let tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let shapes = tables.shapes.iter().map(|(shape, used)| (Arc::clone(shape), used.clone()));
        let mut shapes: Vec<_> = shapes.collect();
        shapes.sort_by(|(left_text, left), (right_text, right)| {
            right.charge.cmp(&left.charge).then_with(|| left_text.cmp(right_text))
        });
        shapes
    }

    /// Paths and composite indexes that some query used, as reports write them.
    pub(crate) fn used_paths(&self) -> BTreeSet<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).used_paths.clone()
    }
}

impl ShapeTables {
    fn shape_of(&mut self, text: &str) -> Arc<str> {
        if let Some(shape) = self.texts.get(text) {
            return Arc::clone(shape);
        }
        let mut made = shape(text);
        if let Some((end, _)) = made.char_indices().nth(SHAPE_CHARACTERS_MAX) {
            // At the border of a character, which `char_indices` gives.
            made.truncate(end);
        }
        let shape: Arc<str> = made.into();
        // A full cache means that texts do not repeat; clearing it is as good as any other replacement.
        if self.texts.len() >= TEXTS_MAX {
            self.texts.clear();
        }
        if text.len() <= 8 * SHAPE_CHARACTERS_MAX {
            self.texts.insert(text.to_owned(), Arc::clone(&shape));
        }
        shape
    }

    fn entry(&mut self, shape: &Arc<str>) -> &mut ShapeUse {
        if !self.shapes.contains_key(shape) && self.shapes.len() >= SHAPES_MAX {
            // A search through 256 entries, and only for a shape that is not in the table.
            let cheapest = self.shapes.iter().min_by_key(|(_, used)| used.charge);
            if let Some((cheapest, charge)) =
                cheapest.map(|(text, used)| (Arc::clone(text), used.charge))
            {
                self.shapes.remove(&cheapest);
                let replacement = ShapeUse { charge, excess: charge, ..ShapeUse::default() };
                self.shapes.insert(Arc::clone(shape), replacement);
            }
        }
        self.shapes.entry(Arc::clone(shape)).or_default()
    }

    fn add_used_paths(&mut self, metrics: &IndexMetrics) {
        for index in metrics.utilized_single.iter().chain(&metrics.utilized_composite) {
            let paths = index.specs.iter();
            let paths =
                paths.map(|spec| spec.split_once(' ').map_or(spec.as_str(), |(path, _)| path));
            let path = paths.collect::<Vec<_>>().join(",");
            if !self.used_paths.contains(&path) && self.used_paths.len() < PATHS_MAX {
                self.used_paths.insert(path);
            }
        }
    }
}

impl ShapeUse {
    fn count(&mut self, page: &PageUse<'_>) {
        self.requests += 1;
        self.charge += page.charge;
        self.across += u64::from(page.is_across);
        self.partitions += page.partitions as u64;
        self.scans += u64::from(page.is_scan);
        self.retrieved_items += page.retrieved_items;
        self.output_items += page.output_items;
    }

    fn add_potential_indexes(&mut self, metrics: &IndexMetrics) {
        for index in &metrics.potential_single {
            if self.helping_paths.len() < HELPS_MAX {
                self.helping_paths.extend(index.specs.iter().cloned());
            }
        }
        for index in &metrics.potential_composite {
            if self.helping_composites.len() < HELPS_MAX {
                self.helping_composites.insert(index.specs.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_query(shapes: &Shapes, text: &str, units: u64) {
        shapes.count(&PageUse {
            text,
            charge: RequestCharge::from_parts(units),
            is_across: true,
            partitions: 2,
            is_scan: false,
            retrieved_items: 0,
            output_items: 0,
            generation: 0,
            index_metrics: &IndexMetrics::default,
        });
    }

    #[test]
    fn index_metrics_are_computed_once_per_shape_and_policy() {
        let shapes = Shapes::default();
        let calls = std::sync::atomic::AtomicUsize::new(0);
        for (number, generation) in [(1, 7), (2, 7), (3, 7), (4, 8), (5, 8)] {
            shapes.count(&PageUse {
                text: &format!("SELECT * FROM c WHERE c.x = {number}"),
                charge: RequestCharge::ZERO,
                is_across: false,
                partitions: 1,
                is_scan: false,
                retrieved_items: 0,
                output_items: 0,
                generation,
                index_metrics: &|| {
                    calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    IndexMetrics::default()
                },
            });
        }
        assert_eq!(calls.into_inner(), 2);
        assert_eq!(shapes.all().len(), 1);
    }

    #[test]
    fn an_expensive_shape_is_not_lost_among_many() {
        let shapes = Shapes::default();
        for number in 0..2000 {
            count_query(&shapes, &format!("SELECT c.p{number} FROM c"), 1);
            if number % 20 == 0 {
                count_query(&shapes, &format!("SELECT * FROM c WHERE c.x = {number}"), 100);
            }
        }
        let all = shapes.all();
        assert_eq!(all.len(), SHAPES_MAX);
        let (text, used) = &all[0];
        assert_eq!(&**text, "SELECT * FROM c WHERE c.x = ?");
        assert_eq!((used.requests, used.partitions, used.across), (100, 200, 100));
        assert!(used.charge.parts() - used.excess.parts() <= 10_000);
        assert!(used.charge.parts() >= 10_000);
    }
}
