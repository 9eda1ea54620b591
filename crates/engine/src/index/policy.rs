//! Indexing policies, compiled for the writer and for queries.

use std::sync::Arc;

use model::Json;
use model::value::structural_hash;
use model::{CompositeOrder, IndexPathSegment, IndexingMode, IndexingPolicy, PathMatcher};
use query::plan::access::Indexes;

/// One composite index.
#[derive(Clone, Debug)]
pub(crate) struct CompiledComposite {
    /// A hash of the definition, so it is the same in every partition and after every rebuild.
    pub(crate) number: u64,
    pub(crate) properties: Vec<CompositeProperty>,
}

impl CompiledComposite {
    /// Whether the index contains the etag or the timestamp, so that its terms change with every write.
    pub(crate) fn has_version(&self) -> bool {
        self.properties.iter().any(|property| {
            let first = property.segments.first();
            matches!(first, Some(IndexPathSegment::Property(name)) if name == "_ts" || name == "_etag")
        })
    }
}

/// One property of a composite index.
#[derive(Clone, Debug)]
pub(crate) struct CompositeProperty {
    pub(crate) segments: Vec<IndexPathSegment>,
    pub(crate) descending: bool,
}

/// A policy, compiled once and used by every write.
#[derive(Debug)]
pub(crate) struct CompiledPolicy {
    /// The source of the compiled form.
    pub(crate) policy: IndexingPolicy,
    pub(crate) mode: IndexingMode,
    pub(crate) matcher: PathMatcher,
    pub(crate) composites: Vec<CompiledComposite>,
    /// The same indexes in the form that query planning uses.
    pub(crate) indexes: Arc<Indexes>,
}

impl CompiledPolicy {
    pub(crate) fn new(policy: &IndexingPolicy) -> Self {
        let composites = policy.composite.iter().map(compile_composite).collect();
        let matcher = PathMatcher::new(policy);
        let indexes = Arc::new(Indexes::new(policy));
        Self { policy: policy.clone(), mode: policy.mode, matcher, composites, indexes }
    }

    /// Whether a composite index contains the etag or the timestamp.
    pub(crate) fn has_composite_version(&self) -> bool {
        self.composites.iter().any(CompiledComposite::has_version)
    }

    /// Whether writes are charged for more than leaves: composite, spatial or vector indexes.
    pub(crate) fn has_structural_costs(&self) -> bool {
        let policy = &self.policy;
        !(policy.composite.is_empty() && policy.spatial.is_empty() && policy.vector.is_empty())
    }
}

fn compile_composite(composite: &model::CompositeIndex) -> CompiledComposite {
    let properties: Vec<_> = composite
        .paths
        .iter()
        .map(|path| CompositeProperty {
            segments: path.path.segments().to_vec(),
            descending: path.order == CompositeOrder::Descending,
        })
        .collect();
    CompiledComposite { number: composite_number(composite), properties }
}

/// The number of a composite index, which is part of its stored terms: the words of the directions must not change.
pub(crate) fn composite_number(composite: &model::CompositeIndex) -> u64 {
    let text: Vec<Json> = composite
        .paths
        .iter()
        .map(|path| {
            let order = match path.order {
                CompositeOrder::Ascending => "Ascending",
                CompositeOrder::Descending => "Descending",
            };
            Json::from(format!("{} {order}", path.path))
        })
        .collect();
    let hash = structural_hash(&Json::Array(text));
    // The upper half of 128 bits always fits.
    u64::try_from(hash >> 64).unwrap_or_default()
}
