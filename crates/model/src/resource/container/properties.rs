//! The properties of a container and the checks between them.
//!
//! Owns the struct, the service defaults and the rules that involve two policies. Each policy validates itself.

use crate::resource::change_feed_policy::ChangeFeedPolicy;
use crate::resource::computed_property::ComputedProperty;
use crate::resource::conflict_resolution::ConflictResolutionPolicy;
use crate::resource::full_text::FullTextPolicy;
use crate::resource::geospatial::GeospatialConfig;
use crate::resource::indexing_policy::{IndexingMode, IndexingPolicy};
use crate::resource::time_to_live::TimeToLive;
use crate::resource::unique_key::UniqueKey;
use crate::resource::vector_embedding::VectorEmbeddingPolicy;
use crate::{ContainerId, Object, PartitionKeyDefinition, Result, ValidationError};

/// The properties of a container.
#[derive(Clone, Debug, PartialEq)]
pub struct ContainerProperties {
    /// The name of the container.
    pub id: ContainerId,
    /// How its items are partitioned.
    pub partition_key: PartitionKeyDefinition,
    /// Which paths are indexed.
    pub indexing_policy: IndexingPolicy,
    /// Paths unique inside a logical partition.
    pub unique_keys: Vec<UniqueKey>,
    /// How long its items live.
    pub default_time_to_live: TimeToLive,
    /// Properties computed by queries.
    pub computed_properties: Vec<ComputedProperty>,
    /// Which of two conflicting writes wins.
    pub conflict_resolution: ConflictResolutionPolicy,
    /// How long all versions and deletes are kept for the change feed.
    pub change_feed_policy: Option<ChangeFeedPolicy>,
    /// Which properties contain vectors.
    pub vector_embedding_policy: Option<VectorEmbeddingPolicy>,
    /// Which properties contain searchable text.
    pub full_text_policy: Option<FullTextPolicy>,
    /// The meaning of coordinates.
    pub geospatial_config: GeospatialConfig,
    /// Unknown members of the wire form, kept to return them unchanged.
    pub unknown: Object,
}

impl ContainerProperties {
    /// A container with the defaults of the service.
    #[must_use]
    pub fn new(id: ContainerId, partition_key: PartitionKeyDefinition) -> Self {
        Self {
            id,
            partition_key,
            indexing_policy: IndexingPolicy::default(),
            unique_keys: Vec::new(),
            default_time_to_live: TimeToLive::Off,
            computed_properties: Vec::new(),
            conflict_resolution: ConflictResolutionPolicy::default(),
            change_feed_policy: None,
            vector_embedding_policy: None,
            full_text_policy: None,
            geospatial_config: GeospatialConfig::default(),
            unknown: Object::new(),
        }
    }

    /// Checks that the policies are consistent with each other.
    ///
    /// # Errors
    /// When an index refers to a path that no policy declares, a computed property hides the partition key, or items
    /// would expire without an index.
    pub fn validate(&self) -> Result<()> {
        self.indexing_policy.validate()?;
        self.indexing_policy.validate_against(
            self.vector_embedding_policy.as_ref(),
            self.full_text_policy.as_ref(),
            self.geospatial_config,
        )?;
        self.validate_computed_names()?;
        // The combination is refused, as the service does.
        if self.indexing_policy.mode == IndexingMode::None
            && self.default_time_to_live != TimeToLive::Off
        {
            return Err(ValidationError::new(
                "The container has a defaultTtl and the indexing mode none; a time to live needs \
                 the indexing mode consistent.",
            ));
        }
        Ok(())
    }

    fn validate_computed_names(&self) -> Result<()> {
        let is_in_partition_key = |name: &str| {
            let paths = self.partition_key.paths().iter();
            // The first segment only: a computed property is a top-level property and hides everything below that
            // name.
            paths.filter_map(|path| path.segments().first()).any(|first| first == name)
        };
        match self.computed_properties.iter().find(|computed| is_in_partition_key(computed.name()))
        {
            Some(computed) => Err(ValidationError::new(format!(
                "The computed property name '{}' belongs to the partition key; choose another name.",
                computed.name()
            ))),
            None => Ok(()),
        }
    }
}
