//! A multi-tenant event store with dynamic consistency boundaries, after seed 001.
//!
//! Owns events with tags, conditional appends, projections, and the tenant at the border of the storage. Does not own
//! HTTP plumbing or tokens (`service`), nor the account (`client`). Events and tags know nothing of tenants.
//!
//! ```text
//! http ─► store (asks whose call it is) ─► storage ─► memory | account | postgres
//!          └─► projection ─► states, large ones in an object store
//! ```
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use event_store::{AppendRequest, EventDraft, EventTag, MemoryStorage};
//! use serde_json::json;
//!
//! let stores = MemoryStorage::bundle(&client::Environment::system()).single_tenant();
//! let student = EventTag::parse("Student:42")?;
//! let created = EventDraft::new("StudentCreated", json!({ "name": "Ann" }), vec![student.clone()]);
//! // Only if nobody else has created the student.
//! let request = AppendRequest::new(vec![created]).expecting([(student.clone(), None)]);
//! stores.events.append(request.clone()).await?;
//! assert!(stores.events.append(request).await.is_err());
//! assert_eq!(stores.events.read_by_tag(&student, None).await?.len(), 1);
//! # Ok::<(), event_store::Error>(())
//! # }).unwrap();
//! ```

mod account;
mod domain;
mod error;
mod http;
mod load;
mod migrations;
mod offload;
mod page;
#[cfg(feature = "postgres")]
mod postgres;
mod projection;
pub mod sample;
mod service_id;
mod settings;
mod storage;
mod store;
mod system;

pub use account::{
    AccountStorage, AccountStoreOptions, CosmosContainerResolver, LegacyMigration, MigrationCounts,
    MigrationReport, OptionsContainerResolver, ResolvedContainer, cosmos_db, cosmos_db_full,
    cosmos_db_multi_tenant, cosmos_db_with_factories,
};
pub use domain::{
    AppendCondition, AppendReceipt, AppendRequest, AppendedEvent, DomainEvent, DomainEventId,
    EventDraft, EventQuery, EventQueryItem, EventRead, EventTag, FeedPosition, PreparedAppend,
    ReadPosition, SortableIdGenerator, SortableUniqueId, TagRow, TagSummary, TagWrite,
};
pub use error::{Error, ErrorKind, Result, TagConflict};
pub use http::EVENT_STORE_ADMIN_ROLE;
pub use load::{TenancyLoad, TenancyLoadOptions, TenancyLoadReport};
pub use migrations::{
    MigrationAction, MigrationJobs, MigrationRequest, MigrationState, TenantMigrationStatus,
};
pub use offload::{FolderPayloads, MemoryPayloads, PayloadStore};
pub use page::PAGES;
#[cfg(feature = "postgres")]
pub use postgres::{
    PostgresOptions, PostgresSchema, PostgresStorage, SchemaReport, postgres_db, postgres_db_full,
    postgres_db_multi_tenant, postgres_db_with_factories,
};
pub use projection::{
    EventProjector, ProjectionHost, ProjectionRunner, ProjectionSettings, ProjectionStatus,
    ProjectorSet, TagStateReader, Upcasters,
};
pub use service_id::{
    DEFAULT_CLAIM, DEFAULT_SERVICE_ID, DefaultServiceIdProvider, FixedServiceIdProvider,
    JwtServiceIdProvider, RequestClaims, RequiredServiceIdProvider, ServiceId, ServiceIdError,
    ServiceIdProvider,
};
pub use settings::{EventStoreSettings, StoreProvider};
pub use storage::{
    AdminStorage, AppendConflict, AppendSignal, DomainEventPage, DomainFeedPage, EventStorage,
    MemoryStorage, RepairReport, SaveMode, StateData, StateStorage, StorageBundle, StoreActivity,
    StoredProjectionState,
};
pub use store::{
    ActorKey, ActorKeyMode, CommandContext, ConsumerGroup, EventFeedReader, EventStore,
    EventStoreFactory, FullWiring, GroupReceipt, GroupSummary, MultiProjectionStateStore,
    MultiProjectionStateStoreFactory, MultiTenantWiring, ProjectionState, SingleTenantWiring,
    StoreFactories, StoreScope,
};
pub use system::EventStoreSystem;
