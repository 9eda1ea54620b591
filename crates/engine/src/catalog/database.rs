//! Databases: create, read, list.
//!
//! Does not own deleting: see `deletion`.

use model::limits::DATABASES_MAX;
use model::{DatabaseId, ResourceId};

use super::record::{DatabaseRecord, ThroughputRecord};
use super::store::CatalogWrite;
use super::view::DatabaseEntry;
use crate::charge;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::operation::CreateDatabase;
use crate::response::{DatabaseResource, Response};

impl Engine {
    /// Creates a database.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use planisphere_engine::{ContainerLink, Engine, operation::*};
    /// # let engine = Engine::in_memory().await?;
    /// # let orders = ContainerLink::new("shop", "orders")?;
    /// # use model::{DatabaseId, DatabaseProperties};
    /// let properties = DatabaseProperties { id: DatabaseId::new("shop")? };
    /// let created = engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    /// assert_eq!(created.value.properties.id.as_str(), "shop");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Conflict` when the id is taken, `Invalid` for throughput the service would not take.
    pub async fn create_database(
        &self,
        operation: CreateDatabase,
    ) -> Result<Response<DatabaseResource>> {
        let mut catalog = self.core.catalog.lock().await;
        let view = self.view();
        let id = &operation.properties.id;
        if self.is_closed() {
            return Err(Error::closed());
        }
        if view.databases.contains_key(id) {
            return Err(already_exists("database", id));
        }
        if view.databases.len() >= DATABASES_MAX {
            return Err(Error::invalid(format!(
                "The account has {DATABASES_MAX} databases, which is the most there can be. Delete one first."
            )));
        }
        let timestamp = self.now().seconds();
        let record = DatabaseRecord {
            rid: self.new_database_rid(),
            etag: catalog.new_etag(timestamp),
            timestamp,
            throughput: operation.throughput.map(ThroughputRecord::new),
            properties: operation.properties,
        };
        let mut write = CatalogWrite::default();
        write.put_database(&record);
        catalog.commit(write).await?;
        let value = resource(&record);
        // Before the view is replaced: the first container of this database must find the shared throughput.
        self.share_throughput(&record);
        self.replace_view(
            view.with_database(DatabaseEntry { record, containers: Default::default() }),
        );
        Ok(metadata_written(value))
    }

    /// Reads a database.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use planisphere_engine::{ContainerLink, Engine, operation::*};
    /// # let engine = Engine::in_memory().await?;
    /// # let orders = ContainerLink::new("shop", "orders")?;
    /// # let properties = model::DatabaseProperties { id: orders.database.clone() };
    /// # engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    /// let database = engine.read_database(&orders.database).await?.value;
    /// assert_eq!(database.properties.id, orders.database);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `OwnerNotFound` when there is none.
    pub async fn read_database(&self, id: &DatabaseId) -> Result<Response<DatabaseResource>> {
        Ok(metadata_read(resource(&self.database(id)?.record)))
    }

    /// Lists all databases by id.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use planisphere_engine::{ContainerLink, Engine, operation::*};
    /// # let engine = Engine::in_memory().await?;
    /// # let orders = ContainerLink::new("shop", "orders")?;
    /// # let properties = model::DatabaseProperties { id: orders.database.clone() };
    /// # engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    /// assert_eq!(engine.list_databases().await?.value.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Unavailable` when the engine is closed.
    pub async fn list_databases(&self) -> Result<Response<Vec<DatabaseResource>>> {
        if self.is_closed() {
            return Err(Error::closed());
        }
        let view = self.view();
        let mut databases: Vec<_> =
            view.databases.values().map(|database| resource(&database.record)).collect();
        databases.sort_by(|left, right| left.properties.id.cmp(&right.properties.id));
        Ok(metadata_read(databases))
    }

    fn new_database_rid(&self) -> ResourceId {
        let view = self.view();
        loop {
            let number = u32::try_from(self.core.environment.random() >> 32).unwrap_or_default();
            let rid = ResourceId::database(number);
            let is_taken = view.databases.values().any(|database| database.record.rid == rid);
            if number != 0 && !is_taken {
                return rid;
            }
        }
    }
}

fn resource(record: &DatabaseRecord) -> DatabaseResource {
    DatabaseResource {
        properties: record.properties.clone(),
        rid: record.rid,
        etag: record.etag,
        timestamp: record.timestamp,
    }
}

pub(crate) fn already_exists(kind: &str, name: impl std::fmt::Display) -> Error {
    Error::new(
        ErrorKind::Conflict,
        format!(
            "Resource with specified id, name, or unique index already exists. There is a {kind} '{name}'."
        ),
    )
}

pub(crate) fn metadata_read<T>(value: T) -> Response<T> {
    Response { value, charge: charge::metadata_read(), session_token: None, explanation: None }
}

pub(crate) fn metadata_written<T>(value: T) -> Response<T> {
    Response { value, charge: charge::metadata_write(), session_token: None, explanation: None }
}
