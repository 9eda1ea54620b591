//! The four ways to wire stores into a program.
//!
//! | wiring | stores | tenant |
//! |---|---|---|
//! | single tenant | shared | `default` |
//! | multi-tenant HTTP | one per request | the token of the request |
//! | actors | by factories | named by each actor |
//! | full | factories, and one per request | the token; outside of a request it is an error |

use std::sync::Arc;

use crate::service_id::{
    DefaultServiceIdProvider, JwtServiceIdProvider, RequestClaims, RequiredServiceIdProvider,
    ServiceIdProvider,
};
use crate::storage::StorageBundle;

use super::{
    ActorKeyMode, EventStore, EventStoreFactory, MultiProjectionStateStore,
    MultiProjectionStateStoreFactory,
};

/// The stores of one scope.
#[derive(Clone, Debug)]
pub struct StoreScope {
    /// Events.
    pub events: EventStore,
    /// States of projections.
    pub states: MultiProjectionStateStore,
}

/// One tenant, `default`: the stores are shared by the whole program.
#[derive(Clone, Debug)]
pub struct SingleTenantWiring {
    /// Events.
    pub events: EventStore,
    /// States of projections.
    pub states: MultiProjectionStateStore,
    /// A key of an actor without a tenant is of `default`.
    pub actor_keys: ActorKeyMode,
}

/// A tenant for each request.
#[derive(Clone, Debug)]
pub struct MultiTenantWiring {
    storage: StorageBundle,
    claim: String,
}

/// Factories, for actors.
#[derive(Clone, Debug)]
pub struct StoreFactories {
    /// Makes event stores.
    pub events: EventStoreFactory,
    /// Makes stores of projection states.
    pub states: MultiProjectionStateStoreFactory,
    /// A key of an actor names its tenant.
    pub actor_keys: ActorKeyMode,
}

/// Factories, and a tenant for each request.
#[derive(Clone, Debug)]
pub struct FullWiring {
    /// For actors and jobs.
    pub factories: StoreFactories,
    requests: MultiTenantWiring,
}

impl StoreScope {
    /// The stores of a provider.
    #[must_use]
    pub fn new(storage: &StorageBundle, provider: Arc<dyn ServiceIdProvider>) -> Self {
        let states = MultiProjectionStateStore::new(storage, Arc::clone(&provider));
        Self { events: EventStore::new(storage, provider), states }
    }
}

impl StorageBundle {
    /// One tenant.
    #[must_use]
    pub fn single_tenant(&self) -> SingleTenantWiring {
        let StoreScope { events, states } =
            StoreScope::new(self, Arc::new(DefaultServiceIdProvider));
        SingleTenantWiring { events, states, actor_keys: ActorKeyMode::Compatible }
    }

    /// A tenant for each request, by a claim of its token.
    #[must_use]
    pub fn multi_tenant(&self, claim: &str) -> MultiTenantWiring {
        MultiTenantWiring { storage: self.clone(), claim: claim.to_owned() }
    }

    /// Factories.
    #[must_use]
    pub fn factories(&self) -> StoreFactories {
        StoreFactories {
            events: EventStoreFactory::new(self.clone()),
            states: MultiProjectionStateStoreFactory::new(self.clone()),
            actor_keys: ActorKeyMode::Strict,
        }
    }

    /// Factories, and a tenant for each request.
    #[must_use]
    pub fn full(&self, claim: &str) -> FullWiring {
        FullWiring { factories: self.factories(), requests: self.multi_tenant(claim) }
    }
}

impl MultiTenantWiring {
    /// The stores of one request. Make new ones for the next.
    #[must_use]
    pub fn scope(&self, request: RequestClaims) -> StoreScope {
        let provider = JwtServiceIdProvider::new(&self.claim, Some(request));
        StoreScope::new(&self.storage, Arc::new(provider))
    }
}

impl FullWiring {
    /// The stores of one request, or of code outside of requests, whose every call is then an error.
    #[must_use]
    pub fn scope(&self, request: Option<RequestClaims>) -> StoreScope {
        match request {
            Some(request) => self.requests.scope(request),
            None => StoreScope::new(&self.requests.storage, Arc::new(RequiredServiceIdProvider)),
        }
    }
}
