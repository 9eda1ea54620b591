//! Indexing policies: which paths of the items of a container are indexed, and how.
//!
//! Owns the policy, its wire form, its validation, and the matcher that decides which values of an item are indexed.
//! Does not own index terms or lookups.

mod composite_index;
mod full_text_index;
mod index_path;
mod json;
mod path_matcher;
mod policy;
mod spatial_index;
#[cfg(test)]
mod tests;
mod vector_index;

pub use composite_index::{CompositeIndex, CompositeOrder, CompositePath};
pub use full_text_index::FullTextIndex;
pub use index_path::{IndexPath, IndexPathSegment, PathEnding};
pub use path_matcher::{MatcherState, PathMatcher};
pub use policy::{IncludedPath, IndexingMode, IndexingPolicy};
pub use spatial_index::{BoundingBox, SpatialIndex, SpatialType};
pub use vector_index::{QuantizerType, VectorIndex, VectorIndexKind};
