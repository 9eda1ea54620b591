//! The provider as a value: the pool, scoped transactions, and its constructors for the four wirings.

use std::sync::Arc;

use async_trait::async_trait;
use client::Environment;
use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime, Transaction,
};
use tokio::sync::oneshot;
use tokio_postgres::{IsolationLevel, NoTls};

use crate::domain::{
    AppendReceipt, DomainEvent, DomainEventId, EventRead, EventTag, FeedPosition, PreparedAppend,
    SortableIdGenerator, SortableUniqueId, TagRow, TagSummary,
};
use crate::error::{Error, ErrorKind, Result};
use crate::offload::PayloadStore;
use crate::service_id::ServiceId;
use crate::storage::{
    AdminStorage, AppendSignal, DomainEventPage, DomainFeedPage, EventStorage, StateStorage,
    StorageBundle, StoreActivity,
};
use crate::store::{FullWiring, MultiTenantWiring, SingleTenantWiring, StoreFactories};

use super::{listen, sql};

/// Where the database is.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// The address, as `host=... user=... dbname=...` or as a URL. Without TLS: use a socket or a private network.
    pub connection: String,
    /// The schema of the tables.
    pub schema: String,
    /// Connections at most.
    pub connections_max: usize,
}

/// The provider on PostgreSQL.
pub struct PostgresStorage {
    pool: Pool,
    environment: Environment,
    ids: SortableIdGenerator,
    signal: AppendSignal,
    /// Ends the listener when the provider is dropped.
    _listener: oneshot::Sender<()>,
}

impl PostgresOptions {
    /// Options for an address, with the schema `public` and 16 connections.
    #[must_use]
    pub fn new(connection: impl Into<String>) -> Self {
        Self { connection: connection.into(), schema: "public".to_owned(), connections_max: 16 }
    }

    pub(super) fn config(&self) -> Result<tokio_postgres::Config> {
        let mut config: tokio_postgres::Config = self.connection.parse().map_err(|error| {
            Error::invalid(format!("the address of PostgreSQL is wrong: {error}"))
        })?;
        let is_word = !self.schema.is_empty()
            && self.schema.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_word {
            return Err(Error::invalid("a schema has letters, digits and '_'"));
        }
        config.options(format!("-c search_path={}", self.schema));
        config.application_name("planisphere event store");
        Ok(config)
    }

    pub(super) fn pool(&self) -> Result<Pool> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(self.config()?, NoTls, recycling);
        Pool::builder(manager)
            .max_size(self.connections_max.max(1))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| Error::internal(format!("the pool cannot be made: {error}")))
    }
}

/// Stores of the tenant `default`, for programs that know of no tenants.
///
/// # Errors
/// Those of [`PostgresStorage::open`].
pub async fn postgres_db(
    options: &PostgresOptions,
    environment: &Environment,
    payloads: Arc<dyn PayloadStore>,
) -> Result<SingleTenantWiring> {
    Ok(PostgresStorage::open(options, environment, payloads).await?.single_tenant())
}

/// Stores for each request, whose token names the tenant in a claim.
///
/// # Errors
/// Those of [`PostgresStorage::open`].
pub async fn postgres_db_multi_tenant(
    options: &PostgresOptions,
    environment: &Environment,
    payloads: Arc<dyn PayloadStore>,
    claim: &str,
) -> Result<MultiTenantWiring> {
    Ok(PostgresStorage::open(options, environment, payloads).await?.multi_tenant(claim))
}

/// Factories, for actors.
///
/// # Errors
/// Those of [`PostgresStorage::open`].
pub async fn postgres_db_with_factories(
    options: &PostgresOptions,
    environment: &Environment,
    payloads: Arc<dyn PayloadStore>,
) -> Result<StoreFactories> {
    Ok(PostgresStorage::open(options, environment, payloads).await?.factories())
}

/// Factories, and stores for each request.
///
/// # Errors
/// Those of [`PostgresStorage::open`].
pub async fn postgres_db_full(
    options: &PostgresOptions,
    environment: &Environment,
    payloads: Arc<dyn PayloadStore>,
    claim: &str,
) -> Result<FullWiring> {
    Ok(PostgresStorage::open(options, environment, payloads).await?.full(claim))
}

impl PostgresStorage {
    /// Opens the provider on a database whose tables exist; see [`super::PostgresSchema::migrate`].
    ///
    /// # Errors
    /// `Invalid` for a wrong address, `Unavailable` if the server cannot be reached.
    pub async fn open(
        options: &PostgresOptions,
        environment: &Environment,
        payloads: Arc<dyn PayloadStore>,
    ) -> Result<StorageBundle> {
        let pool = options.pool()?;
        // The first connection now: a wrong address is found at the start.
        drop(pool.get().await.map_err(pool_failed)?);
        let signal = AppendSignal::default();
        let (stop, stopped) = oneshot::channel();
        environment.spawn(listen::run(options.config()?, signal.clone(), stopped));
        let storage = Arc::new(Self {
            pool,
            environment: environment.clone(),
            ids: SortableIdGenerator::new(environment.clone()),
            signal,
            _listener: stop,
        });
        Ok(StorageBundle {
            events: Arc::clone(&storage) as Arc<dyn EventStorage>,
            states: Arc::clone(&storage) as Arc<dyn StateStorage>,
            admin: storage as Arc<dyn AdminStorage>,
            payloads,
            environment: environment.clone(),
            activity: StoreActivity::default(),
        })
    }

    pub(super) async fn connection(&self) -> Result<Object> {
        self.pool.get().await.map_err(pool_failed)
    }

    pub(super) fn environment(&self) -> &Environment {
        &self.environment
    }

    pub(super) fn ids(&self) -> &SortableIdGenerator {
        &self.ids
    }
}

/// A transaction that sees one tenant: row level security, where it is on, reads the setting. It is local to the
/// transaction, so a connection that goes back to the pool has none.
pub(super) async fn begin<'c>(
    connection: &'c mut Object,
    service: &ServiceId,
) -> Result<Transaction<'c>> {
    let transaction = connection.transaction().await?;
    set_tenant(&transaction, service).await?;
    Ok(transaction)
}

/// The same, for reads that must fit together.
pub(super) async fn begin_read<'c>(
    connection: &'c mut Object,
    service: &ServiceId,
) -> Result<Transaction<'c>> {
    let builder = connection.build_transaction().read_only(true);
    let builder = builder.isolation_level(IsolationLevel::RepeatableRead);
    let transaction = builder.start().await?;
    set_tenant(&transaction, service).await?;
    Ok(transaction)
}

async fn set_tenant(transaction: &Transaction<'_>, service: &ServiceId) -> Result<()> {
    let statement = transaction.prepare_cached(sql::SET_TENANT).await?;
    transaction.execute(&statement, &[&service.as_str()]).await?;
    Ok(())
}

pub(super) fn pool_failed(error: deadpool_postgres::PoolError) -> Error {
    Error::unavailable(format!("PostgreSQL cannot be reached: {error}")).caused_by(error)
}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        let state = error.code().map(|state| state.code().to_owned()).unwrap_or_default();
        let kind = match state.as_str() {
            // The connection is gone, the server stops, there are no resources, a lock or a statement timed out.
            "" => ErrorKind::Unavailable,
            state
                if ["08", "57", "53", "55", "40"].iter().any(|class| state.starts_with(class)) =>
            {
                ErrorKind::Unavailable
            }
            "23505" => ErrorKind::Conflict,
            state if state.starts_with("22") => ErrorKind::Invalid,
            _ => ErrorKind::Internal,
        };
        let detail = error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string);
        Self::new(kind, format!("PostgreSQL: {detail}")).caused_by(error)
    }
}

#[async_trait]
impl EventStorage for PostgresStorage {
    async fn append(&self, service: &ServiceId, append: &PreparedAppend) -> Result<AppendReceipt> {
        let receipt = self.append_events(service, append).await?;
        self.signal.wake();
        Ok(receipt)
    }

    async fn read(&self, service: &ServiceId, read: &EventRead) -> Result<DomainEventPage> {
        self.read_query(service, read).await
    }

    async fn event(&self, service: &ServiceId, id: DomainEventId) -> Result<Option<DomainEvent>> {
        self.read_one(service, id).await
    }

    async fn tag_rows(
        &self,
        service: &ServiceId,
        tag: &EventTag,
        since: Option<&SortableUniqueId>,
    ) -> Result<Vec<TagRow>> {
        self.rows(service, tag, since).await
    }

    async fn latest_tag(&self, service: &ServiceId, tag: &EventTag) -> Result<Option<TagRow>> {
        self.last_row(service, tag).await
    }

    async fn all_tags(&self, service: &ServiceId, group: Option<&str>) -> Result<Vec<TagSummary>> {
        self.summaries(service, group).await
    }

    async fn event_count(
        &self,
        service: &ServiceId,
        since: Option<&SortableUniqueId>,
    ) -> Result<u64> {
        self.count(service, since).await
    }

    async fn latest_id(&self, service: &ServiceId) -> Result<Option<SortableUniqueId>> {
        self.last_id(service).await
    }

    async fn feed(
        &self,
        service: &ServiceId,
        after: Option<&FeedPosition>,
        events_max: usize,
    ) -> Result<DomainFeedPage> {
        self.read_feed(service, after, events_max).await
    }

    async fn feed_end(&self, _: &ServiceId) -> Result<Option<FeedPosition>> {
        self.last_feed_position().await.map(Some)
    }

    fn signal(&self) -> &AppendSignal {
        &self.signal
    }
}
