//! The data model as types: JSON values, ids, partition keys, session and continuation tokens, resource properties,
//! preconditions, patches and request charges.
//!
//! Every function is pure: no I/O, no clock, no randomness, no async. HTTP names and storage keys are not defined here.

pub mod charge;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
pub mod limits;
mod murmur;
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
    compare_strings, double_text, structural_hash,
};
