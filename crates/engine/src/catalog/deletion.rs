//! Deleting containers and databases.
//!
//! Owns the order of the steps: the writers are paused, one catalog commit decides, then the writers end. It runs to
//! its end even if the caller goes away: a container that is gone from the catalog must not be written to. Its bytes
//! are reclaimed in the background.

use model::{DatabaseId, Precondition};

use super::database::metadata_written;
use super::if_match::check_if_match;
use super::store::CatalogWrite;
use super::view::DatabaseEntry;
use crate::engine::Engine;
use crate::error::Result;
use crate::operation::ContainerLink;
use crate::response::Response;

impl Engine {
    /// Deletes a container with all its items; their bytes go in the background.
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
    /// # let ann = model::PartitionKey::from("ann");
    /// # let order = |text: &str| model::MeasuredJson::parse(text.as_bytes());
    /// # let id = model::ItemId::new("1")?;
    /// engine.delete_container(&orders).await?;
    /// assert!(engine.read_container(&orders).await.is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `OwnerNotFound` when there is none.
    pub async fn delete_container(&self, link: &ContainerLink) -> Result<Response<()>> {
        self.delete_container_if(link, None).await
    }

    /// Deletes a container like [`Engine::delete_container`], if its etag matches.
    ///
    /// # Errors
    ///
    /// `PreconditionFailed` when its etag is another, and those of a deletion.
    pub async fn delete_container_if(
        &self,
        link: &ContainerLink,
        precondition: Option<Precondition>,
    ) -> Result<Response<()>> {
        let (engine, link) = (self.clone(), link.clone());
        let deletion = async move { engine.delete_container_now(&link, precondition).await };
        self.uninterrupted(deletion).await
    }

    async fn delete_container_now(
        &self,
        link: &ContainerLink,
        precondition: Option<Precondition>,
    ) -> Result<Response<()>> {
        let mut catalog = self.core.catalog.lock().await;
        let container = self.container(link)?;
        // Under the lock of the catalog: the version that is compared is the one that is deleted.
        check_if_match(precondition.as_ref(), container.record().etag)?;
        // Paused before the commit: a write acknowledged after the deletion would be lost without an error.
        let pauses = container.pause_writers().await;
        let mut write = CatalogWrite::default();
        container.write_removal(&mut write);
        catalog.remove_attached_below(&container.identity.rid, &mut write).await?;
        let removed = catalog.commit(write).await;
        // If nobody knows whether the commit arrived, the container may be deleted: it must not answer either way.
        if removed.is_ok() || catalog.is_unknown() {
            container.retire(pauses).await;
        }
        removed?;
        // Read again: the view may have changed while the writers were paused, though not this database, which the
        // lock protects.
        let mut database = DatabaseEntry::clone(&*self.database(&link.database)?);
        database.containers.remove(&link.container);
        self.replace_view(self.view().with_database(database));
        Ok(metadata_written(()))
    }

    /// Deletes a database with all it holds.
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
    /// # let ann = model::PartitionKey::from("ann");
    /// # let order = |text: &str| model::MeasuredJson::parse(text.as_bytes());
    /// # let id = model::ItemId::new("1")?;
    /// engine.delete_database(&orders.database).await?;
    /// assert!(engine.list_databases().await?.value.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `OwnerNotFound` when there is none.
    pub async fn delete_database(&self, id: &DatabaseId) -> Result<Response<()>> {
        self.delete_database_if(id, None).await
    }

    /// Deletes a database like [`Engine::delete_database`], if its etag matches.
    ///
    /// # Errors
    ///
    /// `PreconditionFailed` when its etag is another, and those of a deletion.
    pub async fn delete_database_if(
        &self,
        id: &DatabaseId,
        precondition: Option<Precondition>,
    ) -> Result<Response<()>> {
        let (engine, id) = (self.clone(), id.clone());
        let deletion = async move { engine.delete_database_now(&id, precondition).await };
        self.uninterrupted(deletion).await
    }

    async fn delete_database_now(
        &self,
        id: &DatabaseId,
        precondition: Option<Precondition>,
    ) -> Result<Response<()>> {
        let mut catalog = self.core.catalog.lock().await;
        let database = self.database(id)?;
        check_if_match(precondition.as_ref(), database.record.etag)?;
        let mut write = CatalogWrite::default();
        write.remove_database(id);
        catalog.remove_attached_below(&database.record.rid, &mut write).await?;
        let mut paused = Vec::new();
        for container in database.containers.values() {
            // All writers are paused before the one commit that removes them all: a database is deleted as a whole or
            // not at all.
            paused.push((container, container.pause_writers().await));
            container.write_removal(&mut write);
        }
        let removed = catalog.commit(write).await;
        if removed.is_ok() || catalog.is_unknown() {
            for (container, pauses) in paused {
                container.retire(pauses).await;
            }
        }
        removed?;
        self.core.shared_throughputs.forget(database.record.rid);
        self.replace_view(self.view().without_database(id));
        Ok(metadata_written(()))
    }
}
