//! Resolves databases and containers that a caller addresses by id or by resource id.
//!
//! Every request does this, so that no properties are copied. An id takes precedence: a database may have an id that
//! looks like a resource id.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use model::{DatabaseId, PartitionKeyDefinition, ResourceId};

use super::container::ContainerEntry;
use super::view::{CatalogView, DatabaseEntry};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::operation::ContainerLink;
use crate::response::Usage;

/// A resolved database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseAddress {
    /// Its id.
    pub id: DatabaseId,
    /// Its resource id.
    pub rid: ResourceId,
    /// Whether the caller used its resource id.
    pub by_resource_id: bool,
}

/// A resolved container.
#[derive(Clone, Debug, PartialEq)]
pub struct ContainerAddress {
    /// Its ids.
    pub link: ContainerLink,
    /// Its resource id.
    pub rid: ResourceId,
    /// Resource id of its database.
    pub database_rid: ResourceId,
    /// Whether the caller used its resource id.
    pub by_resource_id: bool,
    /// Whether it was created without a partition key.
    pub has_system_key: bool,
    /// What the caller derives from it.
    pub extension: ContainerExtension,
}

/// A place with each container for what a layer above derives from it, such as its names as they are printed into every
/// response. The value is derived once and kept as long as the container; clones share it.
#[derive(Clone, Debug, Default)]
pub struct ContainerExtension(Arc<OnceLock<Box<dyn Any + Send + Sync>>>);

impl ContainerExtension {
    /// The value, derived by the first caller; `None` if that caller has derived a value of another type.
    pub fn get_or_init<T: Any + Send + Sync>(&self, derive: impl FnOnce() -> T) -> Option<&T> {
        self.0.get_or_init(|| Box::new(derive())).downcast_ref()
    }
}

/// Derived from the container, so that it does not distinguish two of them.
impl PartialEq for ContainerExtension {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Engine {
    /// Resolves a database by id or resource id.
    ///
    /// # Errors
    /// `OwnerNotFound` when there is none, `Unavailable` when the engine is closed.
    pub fn resolve_database(&self, named: &str) -> Result<DatabaseAddress> {
        let view = self.locked_catalog()?;
        let (database, by_resource_id) = find_database(&view, named)?;
        let id = database.record.properties.id.clone();
        Ok(DatabaseAddress { id, rid: database.record.rid, by_resource_id })
    }

    /// Resolves a container by ids or resource ids.
    ///
    /// # Errors
    /// `OwnerNotFound` when the database or the container does not exist, `Unavailable` when the engine is closed.
    pub fn resolve_container(&self, database: &str, named: &str) -> Result<ContainerAddress> {
        let view = self.locked_catalog()?;
        let (database, _) = find_database(&view, database)?;
        let (container, by_resource_id) = match database.containers.get(named) {
            Some(container) => (container, false),
            None => (by_rid(database, named)?, true),
        };
        Ok(ContainerAddress {
            link: container.link.clone(),
            rid: container.identity.rid,
            database_rid: database.record.rid,
            by_resource_id,
            has_system_key: container.identity.definition.is_system_key(),
            extension: container.extension.clone(),
        })
    }

    /// The partition key definition of a container; it never changes.
    ///
    /// # Errors
    /// `OwnerNotFound` when there is no such container.
    pub fn partition_key_definition(&self, link: &ContainerLink) -> Result<PartitionKeyDefinition> {
        Ok(self.container(link)?.identity.definition.clone())
    }

    /// What a container holds, and in how many physical partitions; responses about items contain it.
    ///
    /// # Errors
    /// `OwnerNotFound` when there is no such container.
    pub fn container_usage(&self, link: &ContainerLink) -> Result<(Usage, usize)> {
        let map = self.container(link)?.map();
        let mut sum = Usage::default();
        for partition in &map.partitions {
            let usage = partition.published.usage();
            sum.items += usage.items;
            sum.item_bytes += usage.item_bytes;
        }
        Ok((sum, map.partitions.len()))
    }
}

/// A database by id or resource id, and whether it was the latter.
fn find_database<'view>(
    view: &'view CatalogView,
    named: &str,
) -> Result<(&'view DatabaseEntry, bool)> {
    // The id first: it is a hash look-up, and nearly every client addresses by name.
    if let Some(database) = view.databases.get(named) {
        return Ok((database, false));
    }
    let rid = ResourceId::parse(named).ok();
    // A search through all databases. Their number is bounded by the account, and few clients use resource ids.
    let found = view.databases.values().find(|database| Some(database.record.rid) == rid);
    let found = found.ok_or_else(|| Error::owner_not_found("database", named))?;
    Ok((found, true))
}

fn by_rid<'a>(database: &'a DatabaseEntry, named: &str) -> Result<&'a Arc<ContainerEntry>> {
    let rid = ResourceId::parse(named).ok();
    let mut containers = database.containers.values();
    containers
        .find(|container| Some(container.identity.rid) == rid)
        .ok_or_else(|| Error::owner_not_found("container", named))
}
