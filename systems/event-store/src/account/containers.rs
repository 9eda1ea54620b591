//! The containers: names, partition keys, composite indexes, and which tenant is where.
//!
//! | container | partition key | key of a tenant's item | composite index |
//! |---|---|---|---|
//! | `events` | `/pk` | `{service}\|{event id}` | `serviceId`, `sortableUniqueId` |
//! | `tags` | `/pk` | `{service}\|{tag}` | `serviceId`, `tag`, `sortableUniqueId` |
//! | `multiProjectionStates` | `/pk` | `{service}\|MultiProjectionState_{projector}` | - |
//!
//! In legacy mode the tenant `default` stays in containers with the keys `/id`, `/tag` and `/partitionKey`, and all
//! others are in `*_v2`. A key that begins with the tenant spreads every tenant over all partitions, also `default`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use client::{Account, Container, PartitionKey};
use model::{CompositeIndex, CompositeOrder, CompositePath, IndexPath, IndexingPolicy};
use serde::{Deserialize, Serialize};
use service::schema::{ContainerSchema, DatabaseSchema, Schema, SchemaApplyError};

use crate::domain::{DomainEventId, EventTag};
use crate::error::{Error, Result};
use crate::service_id::ServiceId;

const PK: &str = "/pk";

/// Options of the provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct AccountStoreOptions {
    /// Name of the database.
    pub database: String,
    /// Name of the container of events.
    pub events_container_name: String,
    /// Name of the container of tags.
    pub tags_container_name: String,
    /// Name of the container of states.
    pub multi_projection_states_container_name: String,
    /// Whether `default` stays in containers with the keys of single-tenant programs.
    pub use_legacy_partition_key_paths: bool,
    /// Names of the containers of all other tenants in legacy mode; `*_v2` if empty.
    pub v2_container_suffix: String,
    /// Seconds after which a reservation may be settled by others.
    pub reservation_seconds: u64,
    /// Events younger than this may still be preceded by ones that are not visible yet.
    pub safe_window_seconds: u64,
    /// Events written at the same time.
    pub concurrent_event_writes: usize,
    /// Events of one page.
    pub page_events: usize,
    /// Tenants with containers of their own, whose names end with the tenant: large ones, whose events would be read
    /// over by queries of all others.
    pub dedicated_tenants: BTreeSet<ServiceId>,
}

impl Default for AccountStoreOptions {
    fn default() -> Self {
        Self {
            database: "SekibanDcb".to_owned(),
            events_container_name: "events".to_owned(),
            tags_container_name: "tags".to_owned(),
            multi_projection_states_container_name: "multiProjectionStates".to_owned(),
            use_legacy_partition_key_paths: false,
            v2_container_suffix: "_v2".to_owned(),
            reservation_seconds: 30,
            safe_window_seconds: 20,
            concurrent_event_writes: 10,
            page_events: 500,
            dedicated_tenants: BTreeSet::new(),
        }
    }
}

/// A container and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedContainer {
    /// The name.
    pub name: String,
    /// The path of its partition key.
    pub key_path: &'static str,
    /// Whether it has the layout of single-tenant programs.
    pub is_legacy: bool,
}

/// Says in which containers a tenant is.
pub trait CosmosContainerResolver: Send + Sync + std::fmt::Debug {
    /// The container of a tenant's events.
    fn resolve_events_container(&self, service: &ServiceId) -> ResolvedContainer;

    /// The container of a tenant's tags.
    fn resolve_tags_container(&self, service: &ServiceId) -> ResolvedContainer;

    /// The container of a tenant's states.
    fn resolve_states_container(&self, service: &ServiceId) -> ResolvedContainer;
}

/// The resolver of the options.
#[derive(Clone, Debug)]
pub struct OptionsContainerResolver(AccountStoreOptions);

/// The containers of one tenant, and the keys of its items.
#[derive(Clone, Debug)]
pub(super) struct TenantContainers {
    pub(super) service: ServiceId,
    pub(super) events: Container,
    pub(super) tags: Container,
    pub(super) states: Container,
    /// Whether these containers have the layout of single-tenant programs.
    pub(super) is_legacy: bool,
    /// Counts items of other tenants that were read.
    pub(super) foreign_items: Arc<AtomicU64>,
}

impl OptionsContainerResolver {
    /// The resolver of these options.
    ///
    /// # Errors
    /// `Invalid` if two containers would have one name, or the options of legacy mode contradict each other.
    pub fn new(options: &AccountStoreOptions) -> Result<Self> {
        let resolver = Self(options.clone());
        let default = ServiceId::default_tenant();
        let mut names = Vec::new();
        let mut tenants: BTreeSet<_> = options.probes()?.into_iter().collect();
        if !options.use_legacy_partition_key_paths && !options.dedicated_tenants.contains(&default)
        {
            // It is where all others are.
            tenants.remove(&default);
        }
        for tenant in &tenants {
            for container in resolver.all(tenant) {
                names.push(container.name);
            }
        }
        names.sort();
        if let Some([name, _]) = names.windows(2).find(|two| two.first() == two.last()) {
            let message = format!(
                "two containers would have the name '{name}'; their keys differ, so choose other names"
            );
            return Err(Error::invalid(message));
        }
        Ok(resolver)
    }

    fn all(&self, service: &ServiceId) -> [ResolvedContainer; 3] {
        [
            self.resolve_events_container(service),
            self.resolve_tags_container(service),
            self.resolve_states_container(service),
        ]
    }

    fn resolve(&self, service: &ServiceId, name: &str, legacy: &'static str) -> ResolvedContainer {
        let Self(options) = self;
        let is_legacy = options.use_legacy_partition_key_paths && service.is_default();
        let name = match options.use_legacy_partition_key_paths {
            true if !is_legacy => format!("{name}{}", options.v2_container_suffix),
            _ => name.to_owned(),
        };
        let name = match options.dedicated_tenants.contains(service) && !is_legacy {
            true => format!("{name}_{service}"),
            false => name,
        };
        ResolvedContainer { name, key_path: if is_legacy { legacy } else { PK }, is_legacy }
    }
}

impl CosmosContainerResolver for OptionsContainerResolver {
    fn resolve_events_container(&self, service: &ServiceId) -> ResolvedContainer {
        self.resolve(service, &self.0.events_container_name, "/id")
    }

    fn resolve_tags_container(&self, service: &ServiceId) -> ResolvedContainer {
        self.resolve(service, &self.0.tags_container_name, "/tag")
    }

    fn resolve_states_container(&self, service: &ServiceId) -> ResolvedContainer {
        let name = &self.0.multi_projection_states_container_name;
        self.resolve(service, name, "/partitionKey")
    }
}

impl TenantContainers {
    pub(super) fn new(
        account: &Account,
        database: &str,
        resolver: &dyn CosmosContainerResolver,
        service: &ServiceId,
    ) -> Result<Self> {
        let database = account.database(database)?;
        let events = resolver.resolve_events_container(service);
        Ok(Self {
            service: service.clone(),
            events: database.container(&events.name)?,
            tags: database.container(&resolver.resolve_tags_container(service).name)?,
            states: database.container(&resolver.resolve_states_container(service).name)?,
            is_legacy: events.is_legacy,
            foreign_items: Arc::default(),
        })
    }

    pub(super) fn event_pk(&self, id: DomainEventId) -> String {
        format!("{}|{id}", self.service)
    }

    pub(super) fn tag_pk(&self, tag: &EventTag) -> String {
        format!("{}|{tag}", self.service)
    }

    pub(super) fn state_pk(&self, projector: &str) -> String {
        format!("{}|{}", self.service, state_partition(projector))
    }

    pub(super) fn event_key(&self, id: DomainEventId) -> PartitionKey {
        let text = if self.is_legacy { id.to_string() } else { self.event_pk(id) };
        text.as_str().into()
    }

    pub(super) fn tag_key(&self, tag: &EventTag) -> PartitionKey {
        let text = if self.is_legacy { tag.to_string() } else { self.tag_pk(tag) };
        text.as_str().into()
    }

    pub(super) fn state_key(&self, projector: &str) -> PartitionKey {
        let text =
            if self.is_legacy { state_partition(projector) } else { self.state_pk(projector) };
        text.as_str().into()
    }
}

/// The property `partitionKey` of states, which single-tenant programs use as the key.
pub(super) fn state_partition(projector: &str) -> String {
    format!("MultiProjectionState_{projector}")
}

/// Creates missing containers with their indexes. An existing container with another key is an error.
pub(super) async fn create(
    account: &Account,
    database: &str,
    resolver: &dyn CosmosContainerResolver,
    services: &[ServiceId],
) -> Result<()> {
    let build = || {
        let mut containers: Vec<ContainerSchema> = Vec::new();
        let mut names = BTreeSet::new();
        for service in services {
            let events = (resolver.resolve_events_container(service), EVENTS_INDEX);
            let tags = (resolver.resolve_tags_container(service), TAGS_INDEX);
            let states = (resolver.resolve_states_container(service), &[] as &[&str]);
            for (container, index) in [events, tags, states] {
                if names.insert(container.name.clone()) {
                    let schema = ContainerSchema::new(&container.name, &[container.key_path])?;
                    containers.push(schema.with_indexing_policy(policy(index)?));
                }
            }
        }
        Schema::new([DatabaseSchema::new(database, containers)?])
    };
    let schema: Schema = build().map_err(client::Error::from)?;
    match schema.apply(account).await {
        Ok(_) => Ok(()),
        Err(SchemaApplyError::Account { error, .. }) => Err(error.into()),
        Err(refused) => Err(Error::invalid(refused.to_string())),
    }
}

const EVENTS_INDEX: &[&str] = &["/serviceId", "/sortableUniqueId"];
const TAGS_INDEX: &[&str] = &["/serviceId", "/tag", "/sortableUniqueId"];

fn policy(composite: &[&str]) -> model::Result<IndexingPolicy> {
    let mut policy = IndexingPolicy::default();
    if composite.is_empty() {
        return Ok(policy);
    }
    let path = |path: &&str| {
        let path = IndexPath::parse_implied_scalar(path)?;
        Ok(CompositePath { path, order: CompositeOrder::Ascending })
    };
    let paths = composite.iter().map(path).collect::<model::Result<_>>()?;
    policy.composite.push(CompositeIndex { paths });
    Ok(policy)
}

impl AccountStoreOptions {
    /// One tenant for each set of containers: `default`, those with containers of their own, and any other.
    pub(super) fn probes(&self) -> Result<Vec<ServiceId>> {
        let mut other = "other".to_owned();
        while self.dedicated_tenants.iter().any(|one| one.as_str() == other) {
            other.push('-');
        }
        let shared = [ServiceId::default_tenant(), ServiceId::parse(&other)?];
        Ok(shared.into_iter().chain(self.dedicated_tenants.iter().cloned()).collect())
    }

    /// The resolver of these options.
    pub(super) fn resolver(&self) -> Result<Arc<dyn CosmosContainerResolver>> {
        Ok(Arc::new(OptionsContainerResolver::new(self)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(options: &AccountStoreOptions, service: &str) -> Vec<(String, &'static str)> {
        let resolver = OptionsContainerResolver::new(options).unwrap();
        let containers = resolver.all(&ServiceId::parse(service).unwrap());
        containers.into_iter().map(|one| (one.name, one.key_path)).collect()
    }

    #[test]
    fn without_legacy_mode_everybody_is_in_the_same_containers() {
        let options = AccountStoreOptions::default();
        let expected = [("events", "/pk"), ("tags", "/pk"), ("multiProjectionStates", "/pk")];
        let expected: Vec<_> = expected.map(|(name, key)| (name.to_owned(), key)).into();
        assert_eq!(names(&options, "default"), expected);
        assert_eq!(names(&options, "acme"), expected);
    }

    #[test]
    fn in_legacy_mode_default_stays_and_others_are_in_v2() {
        let legacy =
            AccountStoreOptions { use_legacy_partition_key_paths: true, ..Default::default() };
        let first = |service| names(&legacy, service).remove(0);
        assert_eq!(first("default"), ("events".to_owned(), "/id"));
        assert_eq!(first("acme"), ("events_v2".to_owned(), "/pk"));
        assert_eq!(names(&legacy, "default")[1].1, "/tag");
        assert_eq!(names(&legacy, "default")[2].1, "/partitionKey");
    }

    #[test]
    fn dc_a7_equal_names_are_refused() {
        let same = AccountStoreOptions {
            use_legacy_partition_key_paths: true,
            v2_container_suffix: String::new(),
            ..Default::default()
        };
        assert!(OptionsContainerResolver::new(&same).is_err());
        let same =
            AccountStoreOptions { tags_container_name: "events".to_owned(), ..Default::default() };
        assert!(OptionsContainerResolver::new(&same).is_err());
    }
}
