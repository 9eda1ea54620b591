//! From containers of single-tenant programs to those with tenants.
//!
//! Owns the conversion of an item: it gets `serviceId` and `pk`, everything else stays. Does not own copying and
//! comparing (`service::copy`): pages along the change feed, a checkpoint, a budget of request units, digests of both
//! sides. The same copy serves three strategies: new containers, a new database, and following a program that still
//! writes the old containers until it is switched over.

use std::num::NonZeroU32;
use std::sync::Arc;

use client::{Account, Container, ErrorKind as AccountErrorKind, Json, QueryPageOptions};
use serde::Serialize;
use serde::de::IgnoredAny;
use service::copy::{
    CheckpointStore, ContainerCopy, CopyError, CopyPlan, OnExtraItem, OnMissingTarget,
    StopCondition, Transform,
};

use crate::error::{Error, ErrorKind, Result};
use crate::service_id::ServiceId;

use super::containers::{self, AccountStoreOptions, TenantContainers};
use super::queries;

/// Copies the three containers of a single-tenant program.
pub struct LegacyMigration {
    copies: Vec<(&'static str, ContainerCopy)>,
}

/// What one run or comparison found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MigrationReport {
    /// For each container, in the order events, tags, states.
    pub containers: Vec<MigrationCounts>,
}

/// The numbers of one container.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MigrationCounts {
    /// `events`, `tags` or `states`.
    pub name: &'static str,
    /// Items that this run wrote.
    pub written: u64,
    /// Items of the source, if they were counted.
    pub source_items: u64,
    /// Items of the target, those of other tenants included, if they were counted.
    pub target_items: u64,
    /// Items that are missing in the target or differ there: what a copy would write.
    pub differences: u64,
}

/// Adds the tenant to an item.
struct AddTenant {
    service: ServiceId,
    /// The property whose value is the second part of the key.
    key_property: &'static str,
}

impl Transform for AddTenant {
    fn apply(&self, mut item: Json) -> std::result::Result<Json, String> {
        let key = item.get(self.key_property).and_then(Json::as_str);
        let key = key.ok_or_else(|| format!("it has no text '{}'", self.key_property))?;
        let pk = format!("{}|{key}", self.service);
        let Json::Object(object) = &mut item else { return Err("it is no object".to_owned()) };
        object.insert("pk", pk);
        object.insert("serviceId", self.service.as_str());
        Ok(item)
    }

    fn description(&self) -> String {
        format!("tenant {} by {}", self.service, self.key_property)
    }
}

impl MigrationReport {
    /// Whether everything of the source is in the target.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.containers.iter().all(|one| one.differences == 0)
    }
}

impl LegacyMigration {
    /// Prepares the copy of the tenant `default` in the old layout of `source` to a tenant in the containers of
    /// `target`, which are created if they are missing.
    ///
    /// # Errors
    /// `Invalid` if source and target are the same; those of the account.
    pub async fn prepare(
        account: &Account,
        source: &AccountStoreOptions,
        target: &AccountStoreOptions,
        service: &ServiceId,
        units_per_second: Option<NonZeroU32>,
    ) -> Result<Self> {
        let new = target.resolver()?;
        let tenants = [service.clone()];
        containers::create(account, &target.database, new.as_ref(), &tenants).await?;
        let mut copies = Vec::new();
        for one in pairs(account, source, target, service)? {
            let plan = CopyPlan { per_second: units_per_second, ..one.plan(service) };
            copies.push((one.name, ContainerCopy::prepare(plan).await.map_err(failed)?));
        }
        Ok(Self { copies })
    }

    /// What a copy would do, without writing anything: containers of the target may be missing.
    ///
    /// # Errors
    /// Those of [`LegacyMigration::prepare`].
    pub async fn dry_run(
        account: &Account,
        source: &AccountStoreOptions,
        target: &AccountStoreOptions,
        service: &ServiceId,
    ) -> Result<MigrationReport> {
        let mut containers = Vec::new();
        for one in pairs(account, source, target, service)? {
            let exists = match one.to.read_properties().await {
                Ok(_) => true,
                Err(error) if error.kind() == AccountErrorKind::NotFound => false,
                Err(error) => return Err(error.into()),
            };
            if exists {
                let on_missing_target = OnMissingTarget::Fail;
                let plan = CopyPlan { on_missing_target, ..one.plan(service) };
                let copy = ContainerCopy::prepare(plan).await.map_err(failed)?;
                containers.push(compare(one.name, &copy).await?);
            } else {
                let (name, source_items) = (one.name, one.count_source().await?);
                let differences = source_items;
                containers.push(MigrationCounts {
                    name,
                    source_items,
                    differences,
                    ..MigrationCounts::default()
                });
            }
        }
        Ok(MigrationReport { containers })
    }

    /// Copies from the last checkpoint of each container on. `checkpoint` returns the store of one of them.
    ///
    /// # Errors
    /// `Invalid` for an item that cannot be converted; those of the account.
    pub async fn run(
        &self,
        checkpoint: &(dyn Fn(&str) -> Box<dyn CheckpointStore> + Send + Sync),
        until: &StopCondition,
        progress: &(dyn Fn(&str, u64) + Send + Sync),
    ) -> Result<MigrationReport> {
        let copies = self.copies.iter().map(|(name, copy)| async move {
            let store = checkpoint(name);
            let report = |now: service::copy::CopyProgress| progress(name, now.copied);
            let done = copy.run(store.as_ref(), until.clone(), &report).await.map_err(failed)?;
            Ok(MigrationCounts { name, written: done.copied, ..MigrationCounts::default() })
        });
        let containers = futures::future::join_all(copies).await.into_iter().collect::<Result<_>>();
        Ok(MigrationReport { containers: containers? })
    }

    /// Compares the tenant in both layouts, item by item where digests differ. Writes nothing.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn verify(&self) -> Result<MigrationReport> {
        let mut containers = Vec::new();
        for (name, copy) in &self.copies {
            containers.push(compare(name, copy).await?);
        }
        Ok(MigrationReport { containers })
    }
}

/// A container of the old layout and its successor.
struct ContainerPair {
    name: &'static str,
    from: Container,
    to: Container,
    key_property: &'static str,
}

impl ContainerPair {
    async fn count_source(&self) -> Result<u64> {
        let (mut count, mut continuation) = (0, None);
        loop {
            let options = QueryPageOptions { continuation, ..QueryPageOptions::default() };
            let query = queries::all_items();
            let page = self.from.query_page::<IgnoredAny>(&query, options).await?.value;
            count += page.rows.len() as u64;
            continuation = page.continuation;
            if continuation.is_none() {
                return Ok(count);
            }
        }
    }

    fn plan(&self, service: &ServiceId) -> CopyPlan {
        let transform = AddTenant { service: service.clone(), key_property: self.key_property };
        CopyPlan {
            transform: Arc::new(transform),
            ..CopyPlan::new(self.from.clone(), self.to.clone())
        }
    }
}

fn pairs(
    account: &Account,
    source: &AccountStoreOptions,
    target: &AccountStoreOptions,
    service: &ServiceId,
) -> Result<[ContainerPair; 3]> {
    let source = AccountStoreOptions { use_legacy_partition_key_paths: true, ..source.clone() };
    let default = ServiceId::default_tenant();
    let old = source.resolver()?;
    let old = TenantContainers::new(account, &source.database, old.as_ref(), &default)?;
    let new = target.resolver()?;
    let new = TenantContainers::new(account, &target.database, new.as_ref(), service)?;
    let pair = |name, from, to, key_property| ContainerPair { name, from, to, key_property };
    Ok([
        pair("events", old.events, new.events, "id"),
        pair("tags", old.tags, new.tags, "tag"),
        pair("states", old.states, new.states, "partitionKey"),
    ])
}

async fn compare(name: &'static str, copy: &ContainerCopy) -> Result<MigrationCounts> {
    let found = copy.verify(OnExtraItem::Report, &|_| {}).await.map_err(failed)?;
    Ok(MigrationCounts {
        name,
        written: 0,
        source_items: found.source_items,
        target_items: found.target_items,
        // Extra items are those of other tenants.
        differences: found.missing + found.different + found.clashing,
    })
}

fn failed(error: CopyError) -> Error {
    let kind = match &error {
        CopyError::Call { .. } => ErrorKind::Unavailable,
        _ => ErrorKind::Invalid,
    };
    Error::new(kind, error.to_string()).caused_by(error)
}

impl std::fmt::Debug for LegacyMigration {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("LegacyMigration")
    }
}
