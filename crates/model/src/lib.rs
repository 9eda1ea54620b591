//! The words of the domain as types.
//!
//! Owns values, names, partition keys, positions, resource properties, request options and charges: one word, one
//! file. Does not own I/O, a clock, randomness, async, HTTP names or storage keys; every function here is pure.

pub mod charge;
pub mod limits;
pub mod name;
pub mod partition;
pub mod position;
pub mod request;
pub mod resource;
mod validation_error;
pub mod value;

pub use charge::{CHARGE_MODEL, ChargeExplanation, ChargeProfile};
pub use name::{ContainerId, DatabaseId, ItemId, ResourceId, ResourceIdKind};
pub use partition::{
    Completeness, EffectivePartitionKey, EpkRange, FeedRange, PartitionKey, PartitionKeyDefinition,
    PartitionKeyKind, PartitionKeyValue, PartitionKeyVersion,
};
pub use position::{ContinuationToken, Etag, Lsn, SessionToken, TimestampMs, TimestampSeconds};
pub use request::{
    ConsistencyLevel, EtagPattern, IndexingDirective, Patch, PatchError, PatchOperation, PatchPath,
    Precondition, PreconditionResult, RequestCharge, TraceContext,
};
pub use resource::{
    AccountProperties, BoundingBox, ChangeFeedPolicy, CompositeIndex, CompositeOrder,
    CompositePath, ComputedProperty, ConflictResolutionPolicy, ContainerProperties,
    DatabaseProperties, DistanceFunction, FullTextIndex, FullTextPath, FullTextPolicy,
    GeospatialConfig, ImmutableProperty, IncludedPath, IndexPath, IndexPathSegment, IndexingMode,
    IndexingPolicy, ItemTimeToLive, MatcherState, PathEnding, PathMatcher, QuantizerType,
    SYSTEM_PROPERTY_NAMES, SpatialIndex, SpatialType, Throughput, TimeToLive, UniqueKey,
    VectorDataType, VectorEmbedding, VectorEmbeddingPolicy, VectorIndex, VectorIndexKind,
    expires_at, is_system_property,
};
pub use validation_error::{Result, ValidationError};
pub use value::{
    ConversionError, Json, MeasuredJson, Number, Object, ParseError, PropertyPath, compare,
    compare_strings, structural_hash,
};
