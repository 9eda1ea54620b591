//! Factories: stores of a named tenant, for actors and jobs. They are made once and shared.

use std::sync::Arc;

use crate::error::Result;
use crate::service_id::FixedServiceIdProvider;
use crate::storage::StorageBundle;

use super::{EventStore, MultiProjectionStateStore};

/// Makes event stores of a tenant.
#[derive(Clone, Debug)]
pub struct EventStoreFactory(StorageBundle);

/// Makes stores of projection states of a tenant.
#[derive(Clone, Debug)]
pub struct MultiProjectionStateStoreFactory(StorageBundle);

impl EventStoreFactory {
    /// A factory on a storage.
    #[must_use]
    pub fn new(storage: StorageBundle) -> Self {
        Self(storage)
    }

    /// The store of a tenant.
    ///
    /// # Errors
    /// `ServiceId` for an invalid id.
    pub fn create_for_service(&self, service_id: &str) -> Result<EventStore> {
        let provider = FixedServiceIdProvider::new(service_id)?;
        Ok(EventStore::new(&self.0, Arc::new(provider)))
    }
}

impl MultiProjectionStateStoreFactory {
    /// A factory on a storage.
    #[must_use]
    pub fn new(storage: StorageBundle) -> Self {
        Self(storage)
    }

    /// The store of a tenant.
    ///
    /// # Errors
    /// `ServiceId` for an invalid id.
    pub fn create_for_service(&self, service_id: &str) -> Result<MultiProjectionStateStore> {
        let provider = FixedServiceIdProvider::new(service_id)?;
        Ok(MultiProjectionStateStore::new(&self.0, Arc::new(provider)))
    }
}
