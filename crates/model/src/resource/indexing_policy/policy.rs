//! The indexing policy of a container.
//!
//! Owns the paths and the rules that they must follow. Does not own the wire form (see `json`) or the decision for one
//! value (see `path_matcher`).

use std::collections::HashSet;

use super::{
    CompositeIndex, FullTextIndex, IndexPath, IndexPathSegment, PathEnding, SpatialIndex,
    VectorIndex,
};
use crate::limits::INDEX_PATHS_MAX;
use crate::resource::full_text::FullTextPolicy;
use crate::resource::geospatial::GeospatialConfig;
use crate::resource::vector_embedding::VectorEmbeddingPolicy;
use crate::{Result, ValidationError};

/// Which paths are indexed, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexingPolicy {
    /// Whether there is a secondary index.
    pub mode: IndexingMode,
    /// Paths to index.
    pub included: Vec<IncludedPath>,
    /// Paths to exclude.
    pub excluded: Vec<IndexPath>,
    /// Composite indexes.
    pub composite: Vec<CompositeIndex>,
    /// Spatial indexes.
    pub spatial: Vec<SpatialIndex>,
    /// Vector indexes.
    pub vector: Vec<VectorIndex>,
    /// Full-text indexes.
    pub full_text: Vec<FullTextIndex>,
}

/// Whether there is a secondary index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexingMode {
    /// The index is updated with each write.
    #[default]
    Consistent,
    /// No secondary index.
    None,
}

/// A path to index.
#[derive(Clone, Debug, PartialEq)]
pub struct IncludedPath {
    /// The path.
    pub path: IndexPath,
}

impl Default for IndexingPolicy {
    fn default() -> Self {
        Self {
            mode: IndexingMode::Consistent,
            included: vec![IncludedPath::new(IndexPath::root())],
            excluded: vec![etag_path(PathEnding::Scalar)],
            composite: Vec::new(),
            spatial: Vec::new(),
            vector: Vec::new(),
            full_text: Vec::new(),
        }
    }
}

impl IncludedPath {
    /// A path to index.
    #[must_use]
    pub fn new(path: IndexPath) -> Self {
        Self { path }
    }
}

impl IndexingPolicy {
    /// A policy without a secondary index.
    #[must_use]
    pub fn none() -> Self {
        Self {
            mode: IndexingMode::None,
            included: Vec::new(),
            excluded: Vec::new(),
            ..Self::default()
        }
    }

    /// Adds the defaults of the service: includes the root when no path is included and the root is not excluded;
    /// excludes the etag unless the client names it.
    pub(super) fn add_defaults(&mut self) {
        if self.mode == IndexingMode::None {
            return;
        }
        // A client that excludes the root wants nothing indexed; including it as well would be a contradiction.
        if self.included.is_empty() && !self.excluded.iter().any(IndexPath::is_root) {
            self.included.push(IncludedPath::new(IndexPath::root()));
        }
        let etag_paths = [etag_path(PathEnding::Scalar), etag_path(PathEnding::Subtree)];
        if !self.paths().any(|path| etag_paths.contains(path)) {
            let [scalar, _] = etag_paths;
            self.excluded.push(scalar);
        }
    }

    /// Validates the policy on its own.
    ///
    /// # Errors
    /// When there are too many paths, the root is in neither list, a path is in both, or a composite index has too few
    /// or too many paths.
    pub fn validate(&self) -> Result<()> {
        for (list, count) in [("included", self.included.len()), ("excluded", self.excluded.len())]
        {
            if count > INDEX_PATHS_MAX {
                return Err(ValidationError::new(format!(
                    "The indexing policy has {count} {list} paths; at most {INDEX_PATHS_MAX} are \
                     allowed."
                )));
            }
        }
        let included: HashSet<&IndexPath> = self.included.iter().map(|one| &one.path).collect();
        // A set, because each list may have 1,500 paths.
        if let Some(both) = self.excluded.iter().find(|path| included.contains(path)) {
            return Err(ValidationError::new(format!(
                "The indexing path '{both}' is both included and excluded; name it in one of the \
                 two."
            )));
        }
        if self.mode == IndexingMode::Consistent && !self.paths().any(IndexPath::is_root) {
            return Err(ValidationError::new(
                "The special mandatory indexing path \"/\" is not provided in any of the path type \
                 sets. Please provide this path in one of the sets.",
            ));
        }
        CompositeIndex::validate_list(&self.composite)
    }

    /// Validates the policy against the other policies of its container.
    ///
    /// # Errors
    /// When an index refers to a vector, a text or a plane that the container does not declare.
    pub fn validate_against(
        &self,
        vectors: Option<&VectorEmbeddingPolicy>,
        texts: Option<&FullTextPolicy>,
        geospatial: GeospatialConfig,
    ) -> Result<()> {
        self.vector.iter().try_for_each(|index| index.validate(vectors))?;
        self.full_text.iter().try_for_each(|index| index.validate(texts))?;
        self.spatial.iter().try_for_each(|index| validate_bounding_box(index, geospatial))
    }

    fn paths(&self) -> impl Iterator<Item = &IndexPath> {
        self.included.iter().map(|included| &included.path).chain(&self.excluded)
    }
}

fn etag_path(ending: PathEnding) -> IndexPath {
    IndexPath::new(vec![IndexPathSegment::Property("_etag".to_owned())], ending)
}

/// A plane is unbounded, so each spatial index on it needs a bounding box. An index on the earth must not have one.
fn validate_bounding_box(index: &SpatialIndex, geospatial: GeospatialConfig) -> Result<()> {
    match (geospatial, &index.bounding_box) {
        (GeospatialConfig::Geometry, None) => Err(ValidationError::new(format!(
            "Required parameter 'boundingBox' for 'Geometry' collection is missing in spatial path \
             '{}'",
            index.path
        ))),
        (GeospatialConfig::Geography, Some(_)) => Err(ValidationError::new(format!(
            "Incorrect parameter 'boundingBox' specified for 'Geography' collection. It is in \
             spatial path '{}'; remove it or choose the geospatial type Geometry.",
            index.path
        ))),
        _ => Ok(()),
    }
}
