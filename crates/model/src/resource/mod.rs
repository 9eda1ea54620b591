//! The properties and policies of resources, as clients send them and as they are stored.
//!
//! Owns their wire form, defaults, limits and which of them are immutable. Does not own system properties, storage or
//! the enforcement of any policy.

mod account;
mod change_feed_policy;
mod computed_property;
mod conflict_resolution;
mod container;
mod database;
mod full_text;
mod geospatial;
mod indexing_policy;
pub(crate) mod members;
mod system_property;
mod throughput;
mod time_to_live;
mod unique_key;
mod vector_embedding;

pub use account::AccountProperties;
pub use change_feed_policy::ChangeFeedPolicy;
pub use computed_property::ComputedProperty;
pub use conflict_resolution::ConflictResolutionPolicy;
pub use container::{ContainerProperties, ImmutableProperty};
pub use database::DatabaseProperties;
pub use full_text::{FullTextPath, FullTextPolicy};
pub use geospatial::GeospatialConfig;
pub use indexing_policy::{
    BoundingBox, CompositeIndex, CompositeOrder, CompositePath, FullTextIndex, IncludedPath,
    IndexPath, IndexPathSegment, IndexingMode, IndexingPolicy, MatcherState, PathEnding,
    PathMatcher, QuantizerType, SpatialIndex, SpatialType, VectorIndex, VectorIndexKind,
};
pub use system_property::{SYSTEM_PROPERTY_NAMES, is_system_property};
pub use throughput::Throughput;
pub use time_to_live::{ItemTimeToLive, TimeToLive, expires_at};
pub use unique_key::UniqueKey;
pub use vector_embedding::{
    DistanceFunction, VectorDataType, VectorEmbedding, VectorEmbeddingPolicy,
};
