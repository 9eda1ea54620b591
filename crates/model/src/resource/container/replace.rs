//! The immutable properties of a container.
//!
//! Owns the comparison of old and new properties. Does not map the result to an error kind.

use std::fmt;

use super::ContainerProperties;

/// A property of a container that a replace must not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImmutableProperty {
    /// The id.
    Id,
    /// The partition key definition.
    PartitionKey,
    /// The unique keys.
    UniqueKeys,
    /// An embedding of the vector embedding policy; new ones may be added.
    VectorEmbeddingPolicy,
    /// A vector index of the indexing policy; new ones may be added.
    VectorIndexes,
}

impl ImmutableProperty {
    /// The error message; the same as the service's where that is known.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::Id => {
                "The id of a container cannot be changed. To change it, create another container."
            }
            Self::PartitionKey => {
                "The partition key definition of a container cannot be changed. To change it, \
                 create another container."
            }
            Self::UniqueKeys => {
                "The unique index cannot be modified. To change the unique index, remove the \
                 collection and re-create a new one."
            }
            Self::VectorEmbeddingPolicy => {
                "Paths in existing embedding policy cannot be modified in Collection Replace."
            }
            Self::VectorIndexes => {
                "Paths in existing vector indexing policy cannot be modified in Collection Replace."
            }
        }
    }
}

impl fmt::Display for ImmutableProperty {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())
    }
}

impl std::error::Error for ImmutableProperty {}

impl ContainerProperties {
    /// Checks that these properties may be replaced by new ones.
    ///
    /// # Errors
    /// The first immutable property that differs.
    pub fn check_replace(&self, new: &Self) -> Result<(), ImmutableProperty> {
        // In a fixed order, so that the error does not depend on anything but the properties.
        let kept = [
            (self.id == new.id, ImmutableProperty::Id),
            (self.keeps_partition_key(new), ImmutableProperty::PartitionKey),
            (self.unique_keys == new.unique_keys, ImmutableProperty::UniqueKeys),
            (self.keeps_embeddings(new), ImmutableProperty::VectorEmbeddingPolicy),
            (self.keeps_vector_indexes(new), ImmutableProperty::VectorIndexes),
        ];
        match kept.into_iter().find(|(kept, _)| !kept) {
            Some((_, immutable)) => Err(immutable),
            None => Ok(()),
        }
    }

    /// Whether both definitions are equivalent. The version may be explicit in one and implied in the other.
    fn keeps_partition_key(&self, new: &Self) -> bool {
        let (old, new) = (&self.partition_key, &new.partition_key);
        old.paths() == new.paths() && old.kind() == new.kind() && old.version() == new.version()
    }

    fn keeps_embeddings(&self, new: &Self) -> bool {
        match (&self.vector_embedding_policy, &new.vector_embedding_policy) {
            (None, _) => true,
            // A client that omits an empty policy has changed nothing.
            (Some(old), None) => old.embeddings().is_empty(),
            (Some(old), Some(new)) => old.is_kept_by(new),
        }
    }

    /// A vector index may be removed, but not replaced by another one on the same path.
    fn keeps_vector_indexes(&self, new: &Self) -> bool {
        self.indexing_policy.vector.iter().all(|old| {
            let same_path = |index: &&crate::VectorIndex| index.path == old.path;
            new.indexing_policy.vector.iter().find(same_path).is_none_or(|new| new == old)
        })
    }
}
