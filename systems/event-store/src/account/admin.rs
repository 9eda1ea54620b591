//! What concerns several tenants: listing and dropping them, and repairing what interrupted appends have left.

use std::collections::BTreeSet;

use async_trait::async_trait;
use client::{Container, ErrorKind as AccountErrorKind, Item, PartitionKey, QueryPageOptions};

use crate::error::Result;
use crate::service_id::ServiceId;
use crate::storage::{AdminStorage, RepairReport};

use super::containers::TenantContainers;
use super::documents::{HeadDocument, ItemTenant, StoredItemKeys};
use super::queries::tenants;
use super::settle::{BatchOutcome, settle_reservation};
use super::storage::AccountStorage;
use super::visibility::read_slot;

#[async_trait]
impl AdminStorage for AccountStorage {
    async fn services(&self) -> Result<Vec<ServiceId>> {
        let mut services = BTreeSet::new();
        // `default` may be in containers of its own, and its items there name no tenant.
        for probe in self.options().probes()? {
            let tenant = self.tenant(&probe)?;
            for container in [&tenant.events, &tenant.states] {
                add_tenants(container, &probe, &mut services).await?;
            }
        }
        Ok(services.into_iter().collect())
    }

    async fn drop_service(&self, service: &ServiceId) -> Result<u64> {
        let tenant = self.tenant(service)?;
        let mut deleted = 0;
        // Tags first: without rows nobody looks for the events.
        for container in [&tenant.tags, &tenant.states, &tenant.events] {
            for item in container.query::<StoredItemKeys>(&tenant.item_ids()).await?.value {
                let is_head = item.id == super::documents::HEAD_ID;
                let key = key_of(&tenant, container, &item);
                match container.delete(&key, &item.id, None).await {
                    Ok(_) => deleted += u64::from(!is_head),
                    Err(error) if error.kind() == AccountErrorKind::NotFound => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(deleted)
    }

    async fn repair(&self, is_dry_run: bool) -> Result<RepairReport> {
        let mut report = RepairReport::default();
        for service in self.services().await? {
            let tenant = self.tenant(&service)?;
            let now = service::timestamp::UtcTimestamp::now(self.environment());
            for head in tenant.tags.query::<Item<HeadDocument>>(&tenant.heads()).await?.value {
                report.tags_checked += 1;
                let etag = head.etag();
                let head = head.into_value();
                let expired = head.reservation.as_ref().filter(|held| held.expires_at <= now);
                let Some(held) = expired else { continue };
                let outcome = if is_dry_run {
                    let slot = read_slot(&tenant, held.commit_event_id).await?;
                    let batch = Some(held.reservation_id.as_str());
                    match slot {
                        Some((slot, _)) if slot.is_event() && slot.batch_id.as_deref() == batch => {
                            BatchOutcome::Committed
                        }
                        _ => BatchOutcome::Cancelled,
                    }
                } else {
                    let tag = head.tag.clone();
                    settle_reservation(&tenant, &tag, &head, etag.as_ref(), held).await?
                };
                match outcome {
                    BatchOutcome::Committed => report.rolled_forward += 1,
                    BatchOutcome::Cancelled => report.cleared += 1,
                }
            }
        }
        Ok(report)
    }

    fn foreign_items(&self) -> u64 {
        self.foreign_item_count()
    }
}

/// Adds the tenants of a container, page by page.
async fn add_tenants(
    container: &Container,
    unnamed: &ServiceId,
    services: &mut BTreeSet<ServiceId>,
) -> Result<()> {
    let (query, mut continuation) = (tenants(), None);
    loop {
        let options = QueryPageOptions { continuation, ..QueryPageOptions::default() };
        let page = container.query_page::<ItemTenant>(&query, options).await?.value;
        for item in page.rows {
            let named = item.service_id.map(|text| ServiceId::parse(&text)).transpose()?;
            services.insert(named.unwrap_or_else(|| unnamed.clone()));
        }
        continuation = page.continuation;
        if continuation.is_none() {
            return Ok(());
        }
    }
}

fn key_of(tenant: &TenantContainers, container: &Container, item: &StoredItemKeys) -> PartitionKey {
    let text = if !tenant.is_legacy {
        item.pk.clone()
    } else if container.is_same(&tenant.tags) {
        item.tag.clone()
    } else if container.is_same(&tenant.states) {
        item.partition_key.clone()
    } else {
        Some(item.id.clone())
    };
    text.unwrap_or_default().as_str().into()
}
