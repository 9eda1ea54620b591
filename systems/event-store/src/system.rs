//! The service as a value: a storage, its projections, and what routes share.

use std::path::Path;
use std::sync::Arc;

use client::{Account, Environment};
use service::http::ShutdownSignal;

use crate::account::AccountStorage;
use crate::error::Result;
use crate::migrations::MigrationJobs;
use crate::offload::{FolderPayloads, MemoryPayloads, PayloadStore};
use crate::projection::{ProjectionHost, ProjectorSet, TagStateReader, Upcasters};
use crate::service_id::{FixedServiceIdProvider, RequestClaims, ServiceId};
use crate::settings::{EventStoreSettings, StoreProvider};
use crate::storage::{StorageBundle, StoreActivity};
use crate::store::{MultiTenantWiring, StoreScope};

/// The event store as a service. Clones share it.
#[derive(Clone, Debug)]
pub struct EventStoreSystem {
    storage: StorageBundle,
    requests: MultiTenantWiring,
    projections: ProjectionHost,
    tag_states: TagStateReader,
    settings: Arc<EventStoreSettings>,
    migrations: Option<MigrationJobs>,
}

impl EventStoreSystem {
    /// The service on a storage.
    #[must_use]
    pub fn new(
        storage: StorageBundle,
        settings: EventStoreSettings,
        projectors: ProjectorSet,
        upcasters: Upcasters,
    ) -> Self {
        let activity = StoreActivity::with_labels(settings.metric_tenants.iter().cloned());
        let storage = StorageBundle { activity, ..storage };
        let requests = storage.multi_tenant(&settings.service_id_claim);
        let projections = ProjectionHost::new(
            storage.clone(),
            projectors.clone(),
            upcasters.clone(),
            settings.projection(),
        );
        let tag_states = TagStateReader::new(projectors, upcasters);
        let (settings, migrations) = (Arc::new(settings), None);
        Self { storage, requests, projections, tag_states, settings, migrations }
    }

    /// The same service, whose operators can migrate containers of this account.
    #[must_use]
    pub fn with_migrations(self, account: &Account) -> Self {
        let jobs = MigrationJobs::new(account.clone(), self.settings.account.clone());
        Self { migrations: Some(jobs), ..self }
    }

    /// Opens the storage that the settings name. The account is used if the provider is `account`.
    ///
    /// # Errors
    /// Those of the providers; `Unsupported` for PostgreSQL in a build without it.
    pub async fn open_storage(
        account: &Account,
        settings: &EventStoreSettings,
    ) -> Result<StorageBundle> {
        let payloads: Arc<dyn PayloadStore> = match settings.offload_folder.as_str() {
            "" => Arc::new(MemoryPayloads::default()),
            folder => Arc::new(FolderPayloads::open(Path::new(folder))?),
        };
        match settings.provider {
            StoreProvider::Account => {
                AccountStorage::open(account.clone(), settings.account.clone(), payloads).await
            }
            StoreProvider::Postgres => {
                open_postgres(settings, account.environment(), payloads).await
            }
        }
    }

    /// Runs the projections until the shutdown.
    pub async fn run(&self, shutdown: &ShutdownSignal) {
        self.projections.run(shutdown).await;
    }

    /// The storage.
    #[must_use]
    pub fn storage(&self) -> &StorageBundle {
        &self.storage
    }

    /// The projections.
    #[must_use]
    pub fn projections(&self) -> &ProjectionHost {
        &self.projections
    }

    /// The stores of a tenant, for operators.
    #[must_use]
    pub fn scope_of(&self, service: &ServiceId) -> StoreScope {
        let provider = FixedServiceIdProvider::from(service.clone());
        StoreScope::new(&self.storage, Arc::new(provider))
    }

    pub(crate) fn scope(&self, request: RequestClaims) -> StoreScope {
        self.requests.scope(request)
    }

    pub(crate) fn tag_states(&self) -> &TagStateReader {
        &self.tag_states
    }

    pub(crate) fn migrations(&self) -> Option<&MigrationJobs> {
        self.migrations.as_ref()
    }

    pub(crate) fn settings(&self) -> &EventStoreSettings {
        &self.settings
    }
}

#[cfg(feature = "postgres")]
async fn open_postgres(
    settings: &EventStoreSettings,
    environment: &Environment,
    payloads: Arc<dyn PayloadStore>,
) -> Result<StorageBundle> {
    use crate::postgres::{PostgresOptions, PostgresSchema, PostgresStorage};
    let options = PostgresOptions {
        connection: settings.postgres_connection.expose().to_owned(),
        schema: settings.postgres_schema.clone(),
        connections_max: settings.postgres_connections,
    };
    PostgresSchema::new(&options)?.migrate().await?;
    PostgresStorage::open(&options, environment, payloads).await
}

#[cfg(not(feature = "postgres"))]
async fn open_postgres(
    _: &EventStoreSettings,
    _: &Environment,
    _: Arc<dyn PayloadStore>,
) -> Result<StorageBundle> {
    let message = "this program was built without PostgreSQL; build it with the feature 'postgres'";
    Err(crate::error::Error::new(crate::error::ErrorKind::Unsupported, message))
}
