//! Whether the throughput of one container is enforced, overriding the settings of the account.
//!
//! Owns the operation. The choice is stored with the container.

use super::container::ContainerEntry;
use super::store::CatalogWrite;
use crate::engine::Engine;
use crate::error::Result;
use crate::metering::OperationKind;
use crate::operation::ContainerLink;

impl ContainerEntry {
    /// Applies the choice for the container, or else that of the account.
    pub(crate) fn refresh_enforcement(&self, engine: &Engine) {
        let chosen = self.record().enforce_throughput;
        self.throughput.gate.enforce(chosen.unwrap_or(engine.core.settings.enforce_throughput));
    }
}

impl Engine {
    /// Enforces the throughput of a container or not; `None` leaves it to the settings of the engine. The choice is
    /// stored.
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
    /// engine.enforce_throughput(&orders, Some(true)).await?;
    /// assert!(engine.throughput_enforced(&orders)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `OwnerNotFound` when there is no such container.
    pub async fn enforce_throughput(
        &self,
        link: &ContainerLink,
        enforced: Option<bool>,
    ) -> Result<()> {
        // Before the record is read: two changes of one container must not start from the same record.
        let mut catalog = self.core.catalog.lock().await;
        let container = self.container(link)?;
        let mut record = container.record();
        record.enforce_throughput = enforced;
        let mut write = CatalogWrite::default();
        write.put_container(&link.database, &record);
        catalog.commit(write).await?;
        // After the commit: a request must not see a choice that a crash could undo.
        container.replace_record(record);
        container.refresh_enforcement(self);
        Ok(())
    }

    /// How many requests to a container were throttled since the engine was opened.
    ///
    /// # Errors
    /// `OwnerNotFound` when there is no such container.
    pub fn throttled_requests(&self, link: &ContainerLink) -> Result<u64> {
        let container = self.container(link)?;
        let counts =
            OperationKind::ALL.map(|kind| container.throughput.usage.counts(kind).throttled);
        Ok(counts.iter().sum())
    }

    /// Whether the throughput of a container is enforced now.
    ///
    /// # Errors
    /// `OwnerNotFound` when there is no such container.
    pub fn throughput_enforced(&self, link: &ContainerLink) -> Result<bool> {
        Ok(self.container(link)?.throughput.gate.is_enforced())
    }
}
