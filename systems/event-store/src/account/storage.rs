//! The provider as a value, and its constructors for the four wirings.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use client::{Account, Environment, QueryPageOptions};

use crate::domain::{
    AppendReceipt, DomainEvent, DomainEventId, EventRead, EventTag, FeedPosition, PreparedAppend,
    SortableIdGenerator, SortableUniqueId, TagRow, TagSummary,
};
use crate::error::Result;
use crate::offload::PayloadStore;
use crate::service_id::ServiceId;
use crate::storage::{
    AdminStorage, AppendSignal, DomainEventPage, DomainFeedPage, EventStorage, StateStorage,
    StorageBundle, StoreActivity,
};
use crate::store::{FullWiring, MultiTenantWiring, SingleTenantWiring, StoreFactories};

use super::containers::{self, AccountStoreOptions, CosmosContainerResolver, TenantContainers};
use super::documents::{EventMark, RowMark};
use super::visibility::Visibility;

/// The provider on an account.
pub struct AccountStorage {
    account: Account,
    options: AccountStoreOptions,
    resolver: Arc<dyn CosmosContainerResolver>,
    ids: SortableIdGenerator,
    signal: AppendSignal,
    foreign_items: Arc<AtomicU64>,
}

/// Stores of the tenant `default` on an account, for programs that know of no tenants.
///
/// # Errors
/// Those of [`AccountStorage::open`].
pub async fn cosmos_db(
    account: Account,
    options: AccountStoreOptions,
    payloads: Arc<dyn PayloadStore>,
) -> Result<SingleTenantWiring> {
    Ok(AccountStorage::open(account, options, payloads).await?.single_tenant())
}

/// Stores for each request, whose token names the tenant in a claim.
///
/// # Errors
/// Those of [`AccountStorage::open`].
pub async fn cosmos_db_multi_tenant(
    account: Account,
    options: AccountStoreOptions,
    payloads: Arc<dyn PayloadStore>,
    claim: &str,
) -> Result<MultiTenantWiring> {
    Ok(AccountStorage::open(account, options, payloads).await?.multi_tenant(claim))
}

/// Factories, for actors.
///
/// # Errors
/// Those of [`AccountStorage::open`].
pub async fn cosmos_db_with_factories(
    account: Account,
    options: AccountStoreOptions,
    payloads: Arc<dyn PayloadStore>,
) -> Result<StoreFactories> {
    Ok(AccountStorage::open(account, options, payloads).await?.factories())
}

/// Factories, and stores for each request.
///
/// # Errors
/// Those of [`AccountStorage::open`].
pub async fn cosmos_db_full(
    account: Account,
    options: AccountStoreOptions,
    payloads: Arc<dyn PayloadStore>,
    claim: &str,
) -> Result<FullWiring> {
    Ok(AccountStorage::open(account, options, payloads).await?.full(claim))
}

impl AccountStorage {
    /// Opens the provider: checks the options and creates missing containers.
    ///
    /// # Errors
    /// `Invalid` for options that contradict each other, or a container with another key; those of the account.
    pub async fn open(
        account: Account,
        options: AccountStoreOptions,
        payloads: Arc<dyn PayloadStore>,
    ) -> Result<StorageBundle> {
        let resolver = options.resolver()?;
        let tenants = options.probes()?;
        containers::create(&account, &options.database, resolver.as_ref(), &tenants).await?;
        Ok(Self::over(account, options, resolver, payloads))
    }

    /// The provider with a resolver of one's own, on containers that exist.
    #[must_use]
    pub fn over(
        account: Account,
        options: AccountStoreOptions,
        resolver: Arc<dyn CosmosContainerResolver>,
        payloads: Arc<dyn PayloadStore>,
    ) -> StorageBundle {
        let environment = account.environment().clone();
        let ids = SortableIdGenerator::new(environment.clone());
        let signal = AppendSignal::default();
        let foreign_items = Arc::default();
        let storage = Arc::new(Self { account, options, resolver, ids, signal, foreign_items });
        StorageBundle {
            events: Arc::clone(&storage) as Arc<dyn EventStorage>,
            states: Arc::clone(&storage) as Arc<dyn StateStorage>,
            admin: storage as Arc<dyn AdminStorage>,
            payloads,
            environment,
            activity: StoreActivity::default(),
        }
    }

    pub(super) fn tenant(&self, service: &ServiceId) -> Result<TenantContainers> {
        let tenant = TenantContainers::new(
            &self.account,
            &self.options.database,
            self.resolver.as_ref(),
            service,
        )?;
        Ok(TenantContainers { foreign_items: Arc::clone(&self.foreign_items), ..tenant })
    }

    pub(super) fn environment(&self) -> &Environment {
        self.account.environment()
    }

    pub(super) fn options(&self) -> &AccountStoreOptions {
        &self.options
    }

    pub(super) fn ids(&self) -> &SortableIdGenerator {
        &self.ids
    }

    pub(super) fn foreign_item_count(&self) -> u64 {
        self.foreign_items.load(Ordering::Relaxed)
    }

    pub(super) fn signal_append(&self) {
        self.signal.wake();
    }
}

#[async_trait]
impl EventStorage for AccountStorage {
    async fn append(&self, service: &ServiceId, append: &PreparedAppend) -> Result<AppendReceipt> {
        self.append_events(&self.tenant(service)?, append).await
    }

    async fn read(&self, service: &ServiceId, read: &EventRead) -> Result<DomainEventPage> {
        self.read_query(&self.tenant(service)?, read).await
    }

    async fn event(&self, service: &ServiceId, id: DomainEventId) -> Result<Option<DomainEvent>> {
        self.read_one(&self.tenant(service)?, id).await
    }

    async fn tag_rows(
        &self,
        service: &ServiceId,
        tag: &EventTag,
        since: Option<&SortableUniqueId>,
    ) -> Result<Vec<TagRow>> {
        let tenant = self.tenant(service)?;
        self.settle_expired(&tenant, tag).await?;
        self.rows(&tenant, tag, since, None).await
    }

    async fn latest_tag(&self, service: &ServiceId, tag: &EventTag) -> Result<Option<TagRow>> {
        self.latest_row(&self.tenant(service)?, tag).await
    }

    async fn all_tags(&self, service: &ServiceId, group: Option<&str>) -> Result<Vec<TagSummary>> {
        let tenant = self.tenant(service)?;
        let mut summaries: BTreeMap<EventTag, TagSummary> = BTreeMap::new();
        for row in tenant.tags.query::<RowMark>(&tenant.all_rows()).await?.value {
            let is_asked = group.is_none_or(|group| row.tag.group() == group);
            if is_asked && tenant.owns(row.service_id.as_ref(), "row") {
                let id = &row.sortable_unique_id;
                summaries
                    .entry(row.tag.clone())
                    .and_modify(|summary| summary.add(id))
                    .or_insert_with(|| TagSummary::of(row.tag.clone(), id));
            }
        }
        Ok(summaries.into_values().collect())
    }

    async fn event_count(
        &self,
        service: &ServiceId,
        since: Option<&SortableUniqueId>,
    ) -> Result<u64> {
        self.count_events(&self.tenant(service)?, since).await
    }

    async fn latest_id(&self, service: &ServiceId) -> Result<Option<SortableUniqueId>> {
        let tenant = self.tenant(service)?;
        let mut visibility = Visibility::new(&tenant);
        let mut continuation = None;
        loop {
            let options =
                QueryPageOptions { rows_max: Some(5), continuation, ..Default::default() };
            let query = tenant.last_events();
            let page = tenant.events.query_page::<EventMark>(&query, options).await?.value;
            for mark in page.rows {
                let is_own = tenant.owns(mark.service_id.as_ref(), "event");
                if is_own && visibility.check_visible(&mark.batch).await? {
                    return Ok(Some(mark.sortable_unique_id));
                }
            }
            continuation = page.continuation;
            if continuation.is_none() {
                return Ok(None);
            }
        }
    }

    async fn feed(
        &self,
        service: &ServiceId,
        after: Option<&FeedPosition>,
        events_max: usize,
    ) -> Result<DomainFeedPage> {
        self.read_feed(&self.tenant(service)?, after, events_max).await
    }

    async fn feed_end(&self, _: &ServiceId) -> Result<Option<FeedPosition>> {
        Ok(Some(self.safe_end()))
    }

    fn signal(&self) -> &AppendSignal {
        &self.signal
    }
}
