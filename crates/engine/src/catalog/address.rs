//! Resolves databases and containers that a caller addresses by id or by resource id.
//!
//! Every request does this, so that no properties are copied. An id takes precedence: a database may have an id that
//! looks like a resource id.

use std::sync::Arc;

use model::{ContainerId, DatabaseId, PartitionKeyDefinition, ResourceId};

use super::container::ContainerEntry;
use super::view::DatabaseEntry;
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
}

impl Engine {
    /// Resolves a database by id or resource id.
    ///
    /// # Errors
    /// `OwnerNotFound` when there is none, `Unavailable` when the engine is closed.
    pub fn resolve_database(&self, named: &str) -> Result<DatabaseAddress> {
        let (database, by_resource_id) = self.find_database(named)?;
        let id = database.record.properties.id.clone();
        Ok(DatabaseAddress { id, rid: database.record.rid, by_resource_id })
    }

    /// Resolves a container by ids or resource ids.
    ///
    /// # Errors
    /// `OwnerNotFound` when the database or the container does not exist, `Unavailable` when the engine is closed.
    pub fn resolve_container(&self, database: &str, named: &str) -> Result<ContainerAddress> {
        let (database, _) = self.find_database(database)?;
        let by_id = ContainerId::new(named).ok().and_then(|id| database.containers.get(&id));
        let (container, by_resource_id) = match by_id {
            Some(container) => (container, false),
            None => (by_rid(&database, named)?, true),
        };
        Ok(ContainerAddress {
            link: container.link.clone(),
            rid: container.identity.rid,
            database_rid: database.record.rid,
            by_resource_id,
            has_system_key: container.identity.definition.is_system_key(),
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

    fn find_database(&self, named: &str) -> Result<(Arc<DatabaseEntry>, bool)> {
        if self.is_closed() {
            return Err(Error::closed());
        }
        let view = self.view();
        // The id first: it is a hash look-up, and nearly every client addresses by name.
        if let Some(database) = DatabaseId::new(named).ok().and_then(|id| view.databases.get(&id)) {
            return Ok((Arc::clone(database), false));
        }
        let rid = ResourceId::parse(named).ok();
        // A search through all databases. Their number is bounded by the account, and few clients use resource ids.
        let found = view.databases.values().find(|database| Some(database.record.rid) == rid);
        let found = found.cloned().ok_or_else(|| Error::owner_not_found("database", named))?;
        Ok((found, true))
    }
}

fn by_rid<'a>(database: &'a DatabaseEntry, named: &str) -> Result<&'a Arc<ContainerEntry>> {
    let rid = ResourceId::parse(named).ok();
    let mut containers = database.containers.values();
    containers
        .find(|container| Some(container.identity.rid) == rid)
        .ok_or_else(|| Error::owner_not_found("container", named))
}
