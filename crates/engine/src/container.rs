//! What writers and readers need of a container: its fixed identity, and its properties in compiled form.
//!
//! Owns the compiled indexing policies by generation and the check of expiry. Does not own partitions: see `catalog`.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use model::{
    ContainerProperties, IndexingDirective, IndexingMode, IndexingPolicy, PartitionKeyDefinition,
    ResourceId, TimeToLive, TimestampMs, expires_at,
};

use query::{ComputedProperties, EvaluationContext};

use crate::index::CompiledPolicy;
use crate::record::ItemHeader;

/// What never changes during the life of a container.
#[derive(Debug)]
pub(crate) struct ContainerIdentity {
    pub(crate) rid: ResourceId,
    pub(crate) definition: PartitionKeyDefinition,
    self_link: String,
}

impl ContainerIdentity {
    pub(crate) fn new(rid: ResourceId, definition: PartitionKeyDefinition) -> Self {
        // The link is stored data: items contain it in `_self`, byte for byte as the service writes it.
        let database = rid.database_id().unwrap_or(rid);
        let self_link = format!("dbs/{database}/colls/{rid}/docs/");
        Self { rid, definition, self_link }
    }

    /// Components of a full partition key.
    pub(crate) fn levels(&self) -> usize {
        self.definition.paths().len()
    }

    pub(crate) fn item_rid(&self, ordinal: u64) -> ResourceId {
        ResourceId::item(&self.rid, ordinal)
    }

    pub(crate) fn self_link(&self, item: &ResourceId) -> String {
        format!("{}{item}/", self.self_link)
    }
}

/// The properties of a container in compiled form. Immutable: a replace of the container exchanges it as a whole, so
/// that a request that has taken it sees one consistent set of properties to its end.
#[derive(Debug)]
pub(crate) struct CompiledProperties {
    pub(crate) properties: ContainerProperties,
    /// Generation of the newest indexing policy; partitions that follow an older one are rebuilt.
    pub(crate) generation: u32,
    /// How long superseded versions are kept, in seconds; zero keeps none.
    pub(crate) retention_seconds: u64,
    /// Computed properties, compiled for queries.
    pub(crate) computed: ComputedProperties,
    /// The evaluation context that all queries share, except their start time; created by the first query.
    pub(crate) evaluation: OnceLock<EvaluationContext>,
    policies: BTreeMap<u32, Arc<CompiledPolicy>>,
}

impl CompiledProperties {
    pub(crate) fn new(
        properties: ContainerProperties,
        generation: u32,
        older_policies: &BTreeMap<u32, IndexingPolicy>,
        retention_default_seconds: u64,
    ) -> Self {
        // Older policies stay compiled while some partition may still follow them.
        let mut policies: BTreeMap<_, _> = older_policies
            .iter()
            .map(|(generation, policy)| (*generation, Arc::new(CompiledPolicy::new(policy))))
            .collect();
        let newest = CompiledPolicy::new(&properties.indexing_policy);
        policies.insert(generation, Arc::new(newest));
        let retention_seconds = match &properties.change_feed_policy {
            // A policy with zero minutes keeps nothing, whatever the default of the account is.
            Some(policy) => policy.retention_minutes() * 60,
            None => retention_default_seconds,
        };
        // They were validated when the container was created or replaced.
        let computed = ComputedProperties::new(&properties.computed_properties).unwrap_or_default();
        let evaluation = OnceLock::new();
        Self { properties, generation, retention_seconds, computed, evaluation, policies }
    }

    pub(crate) fn policy(&self, generation: u32) -> Option<&Arc<CompiledPolicy>> {
        self.policies.get(&generation)
    }

    /// Whether an item is past its time to live: invisible to every reader, whether it is removed already or not.
    pub(crate) fn is_expired(&self, header: &ItemHeader, now: TimestampMs) -> bool {
        let default = self.properties.default_time_to_live;
        expires_at(default, header.time_to_live, header.timestamp.0)
            // An item with a time to live of one second is visible in the second of its write and gone in the next.
            .is_some_and(|second| second <= now.seconds().0)
    }

    /// Whether any item can be past its time to live.
    pub(crate) fn expires_items(&self) -> bool {
        self.properties.default_time_to_live != TimeToLive::Off
    }

    /// Whether the container maintains an index.
    pub(crate) fn is_indexed(&self) -> bool {
        self.properties.indexing_policy.mode == IndexingMode::Consistent
    }

    /// Whether a write with this directive is indexed.
    pub(crate) fn indexes(&self, directive: IndexingDirective) -> bool {
        match directive {
            // Without an index too: scans find such items, also after a change of policy.
            IndexingDirective::Include | IndexingDirective::Default => true,
            IndexingDirective::Exclude => false,
        }
    }
}

/// The compiled properties in use.
#[derive(Debug)]
pub(crate) struct CurrentProperties(RwLock<Arc<CompiledProperties>>);

impl CurrentProperties {
    pub(crate) fn new(compiled: CompiledProperties) -> Self {
        Self(RwLock::new(Arc::new(compiled)))
    }

    pub(crate) fn current(&self) -> Arc<CompiledProperties> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn replace(&self, compiled: CompiledProperties) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(compiled);
    }
}
