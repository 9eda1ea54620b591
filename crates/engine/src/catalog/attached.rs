//! Attached resources: users, permissions, scripts and client encryption keys.
//!
//! Owns them as stored JSON that belongs to a database, a user or a container: create, read, list, replace, delete.
//! Does not own their meaning: nothing here is executed or enforced.

use model::{Etag, Json, Object, Precondition, ResourceId, TimestampSeconds};

use super::database::{already_exists, metadata_read, metadata_written};
use super::if_match::check_if_match;
use super::store::CatalogWrite;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::response::Response;

/// The kinds of attached resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachedKind {
    /// Belongs to a database.
    User,
    /// Belongs to a user.
    Permission,
    /// Belongs to a container.
    StoredProcedure,
    /// Belongs to a container.
    Trigger,
    /// Belongs to a container.
    UserDefinedFunction,
    /// Belongs to a database.
    ClientEncryptionKey,
}

/// An attached resource.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachedResource {
    /// The id the user chose.
    pub id: String,
    /// Resource id.
    pub rid: ResourceId,
    /// Resource id of its parent.
    pub owner: ResourceId,
    /// What the user sent, without system properties.
    pub content: Object,
    /// Changes on each write.
    pub etag: Etag,
    /// Second of the last change.
    pub timestamp: TimestampSeconds,
}

impl AttachedKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Permission => "permission",
            Self::StoredProcedure => "stored procedure",
            Self::Trigger => "trigger",
            Self::UserDefinedFunction => "user defined function",
            Self::ClientEncryptionKey => "client encryption key",
        }
    }

    fn rid(self, owner: &ResourceId, number: u64) -> ResourceId {
        // The number counts the changes of the catalog, which never reach 32 bits.
        let short = u32::try_from(number).unwrap_or(u32::MAX);
        match self {
            Self::User | Self::ClientEncryptionKey => ResourceId::user(owner, short),
            Self::Permission => ResourceId::permission(owner, number),
            Self::StoredProcedure => ResourceId::stored_procedure(owner, number),
            Self::Trigger => ResourceId::trigger(owner, number),
            Self::UserDefinedFunction => ResourceId::user_defined_function(owner, number),
        }
    }
}

impl Engine {
    /// Creates an attached resource from what the user sent; its `id` is the id.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use planisphere_engine::{ContainerLink, Engine, operation::*};
    /// # let engine = Engine::in_memory().await?;
    /// # let orders = ContainerLink::new("shop", "orders")?;
    /// # let properties = model::DatabaseProperties { id: orders.database.clone() };
    /// # engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    /// # let key = model::PartitionKeyDefinition::single("/customer")?;
    /// # let properties = model::ContainerProperties::new(orders.container.clone(), key);
    /// # let database = orders.database.clone();
    /// # engine.create_container(CreateContainer { database, properties, throughput: None }).await?;
    /// use planisphere_engine::AttachedKind;
    ///
    /// let database = engine.read_database(&orders.database).await?.value;
    /// let mut content = model::Object::new();
    /// content.insert("id", "ann");
    /// let user = engine.create_attached(database.rid, AttachedKind::User, content).await?.value;
    /// let read = engine.read_attached(database.rid, AttachedKind::User, "ann").await?.value;
    /// assert_eq!(read.etag, user.etag);
    /// let listed = engine.list_attached(database.rid, AttachedKind::User).await?.value;
    /// assert_eq!(listed.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Conflict` when the id is taken, `Invalid` without an id, `OwnerNotFound` when the owner is gone.
    pub async fn create_attached(
        &self,
        owner: ResourceId,
        kind: AttachedKind,
        content: Object,
    ) -> Result<Response<AttachedResource>> {
        let id = content.get("id").and_then(Json::as_str).unwrap_or_default();
        let id = model::ItemId::new(id)?.as_str().to_owned();
        let mut catalog = self.core.catalog.lock().await;
        // Under the lock: a container that is deleted meanwhile would leave a resource that nobody can reach.
        self.check_owner(&owner)?;
        if catalog.attached(&owner, kind, &id).await?.is_some() {
            return Err(already_exists(kind.name(), &id));
        }
        let timestamp = self.now().seconds();
        let etag = catalog.new_etag(timestamp);
        // Numbers of the catalog never repeat, so a resource that is created again under its old id has another rid.
        let rid = kind.rid(&owner, catalog.new_number());
        let resource = AttachedResource { id, rid, owner, content, etag, timestamp };
        let mut write = CatalogWrite::default();
        write.put_attached(kind, &resource);
        catalog.commit(write).await?;
        Ok(metadata_written(resource))
    }

    /// Reads an attached resource by id or resource id.
    ///
    /// # Errors
    /// `NotFound` when there is none.
    pub async fn read_attached(
        &self,
        owner: ResourceId,
        kind: AttachedKind,
        named: &str,
    ) -> Result<Response<AttachedResource>> {
        let catalog = self.core.catalog.lock().await;
        if let Some(resource) = catalog.attached(&owner, kind, named).await? {
            return Ok(metadata_read(resource));
        }
        let rid = ResourceId::parse(named).ok();
        let listed = catalog.all_attached(&owner, kind).await?;
        let found = listed.into_iter().find(|resource| Some(resource.rid) == rid);
        found.map(metadata_read).ok_or_else(|| not_found(kind, named))
    }

    /// Lists the attached resources of one kind by id.
    ///
    /// # Errors
    /// `Unavailable` when the store cannot be read.
    pub async fn list_attached(
        &self,
        owner: ResourceId,
        kind: AttachedKind,
    ) -> Result<Response<Vec<AttachedResource>>> {
        let catalog = self.core.catalog.lock().await;
        let mut listed = catalog.all_attached(&owner, kind).await?;
        listed.sort_by(|left, right| left.id.cmp(&right.id));
        Ok(metadata_read(listed))
    }

    /// Replaces an attached resource. Another id in the content renames it, except for a client encryption key, which
    /// encrypted items name by its id.
    ///
    /// # Errors
    /// `NotFound` when there is none, `PreconditionFailed` when its etag is another, `Conflict` when the new id is
    /// taken, `Invalid` for another id of a key.
    pub async fn replace_attached(
        &self,
        kind: AttachedKind,
        old: &AttachedResource,
        content: Object,
        precondition: Option<&Precondition>,
    ) -> Result<Response<AttachedResource>> {
        let mut catalog = self.core.catalog.lock().await;
        let current = catalog.attached(&old.owner, kind, &old.id).await?;
        let current = current.ok_or_else(|| not_found(kind, &old.id))?;
        check_if_match(precondition, current.etag)?;
        let id = content.get("id").and_then(Json::as_str).unwrap_or_default();
        let id = model::ItemId::new(id)?.as_str().to_owned();
        let mut write = CatalogWrite::default();
        if id != current.id {
            check_rename(kind, &current.id)?;
            if catalog.attached(&current.owner, kind, &id).await?.is_some() {
                return Err(already_exists(kind.name(), &id));
            }
            // Children are stored under the resource id, which stays.
            write.remove_attached(kind, &current);
        }
        let timestamp = self.now().seconds();
        let etag = catalog.new_etag(timestamp);
        let replaced = AttachedResource { id, content, etag, timestamp, ..current };
        write.put_attached(kind, &replaced);
        catalog.commit(write).await?;
        Ok(metadata_written(replaced))
    }

    /// Deletes an attached resource with its children.
    ///
    /// # Errors
    /// `NotFound` when there is none, `PreconditionFailed` when its etag is another.
    pub async fn delete_attached(
        &self,
        kind: AttachedKind,
        old: &AttachedResource,
        precondition: Option<&Precondition>,
    ) -> Result<Response<()>> {
        let mut catalog = self.core.catalog.lock().await;
        let current = catalog.attached(&old.owner, kind, &old.id).await?;
        let current = current.ok_or_else(|| not_found(kind, &old.id))?;
        check_if_match(precondition, current.etag)?;
        let mut write = CatalogWrite::default();
        write.remove_attached(kind, &current);
        // The permissions of a user go with it, in the same commit.
        catalog.remove_attached_below(&current.rid, &mut write).await?;
        catalog.commit(write).await?;
        Ok(metadata_written(()))
    }

    /// Refuses a parent that does not exist. Users are not checked: the caller has read the user to get its resource
    /// id.
    fn check_owner(&self, owner: &ResourceId) -> Result<()> {
        let view = self.view();
        let database = owner.database_id();
        let database = view.databases.values().find(|known| Some(known.record.rid) == database);
        let database = database.ok_or_else(|| Error::owner_not_found("database", owner))?;
        let Some(container) = owner.container_id() else { return Ok(()) };
        let mut containers = database.containers.values();
        let exists = containers.any(|known| known.identity.rid == container);
        if exists { Ok(()) } else { Err(Error::owner_not_found("container", owner)) }
    }
}

fn check_rename(kind: AttachedKind, id: &str) -> Result<()> {
    if kind != AttachedKind::ClientEncryptionKey {
        return Ok(());
    }
    let kind = kind.name();
    Err(Error::invalid(format!(
        "The id of the {kind} '{id}' cannot be changed. Create another one."
    )))
}

fn not_found(kind: AttachedKind, named: &str) -> Error {
    let message = format!("Resource Not Found. There is no {} '{named}'.", kind.name());
    Error::new(ErrorKind::NotFound, message)
}
