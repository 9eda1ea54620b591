//! Lists the physical partitions of a container, and how many its throughput needs.

use super::container::ContainerEntry;
use super::database::metadata_read;
use crate::engine::Engine;
use crate::error::Result;
use crate::operation::ContainerLink;
use crate::response::{PartitionResource, PartitionsResource, Response};

impl Engine {
    /// Lists the physical partitions of a container in the order of their ranges.
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
    /// let partitions = engine.list_partitions(&orders).await?.value.partitions;
    /// assert_eq!(partitions.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `OwnerNotFound` when there is no such container.
    pub async fn list_partitions(
        &self,
        link: &ContainerLink,
    ) -> Result<Response<PartitionsResource>> {
        let container = self.container(link)?;
        let map = container.map();
        #[expect(clippy::cast_precision_loss, reason = "a container has few partitions")]
        // Throughput is divided evenly, whatever the partitions hold.
        let throughput_fraction = 1.0 / map.partitions.len().max(1) as f64;
        let partitions = map.partitions.iter().map(|partition| PartitionResource {
            number: partition.identity.number,
            range: partition.range.clone(),
            parents: partition.parents.clone(),
            // The published one: it never names a write that is not committed.
            lsn: partition.published.lsn(),
            usage: partition.published.usage(),
            throughput_fraction,
        });
        let partitions = partitions.collect();
        Ok(metadata_read(PartitionsResource {
            generation: map.generation,
            partitions,
            partitions_min: container.partitions_min(),
            restructuring: container.restructuring.progress(),
        }))
    }
}

impl ContainerEntry {
    /// How many physical partitions its own throughput needs at least.
    pub(crate) fn partitions_min(&self) -> u32 {
        self.record().throughput.map_or(1, |record| record.throughput.partitions_min())
    }

    /// Whether partitions must still be split for its throughput.
    pub(crate) fn is_scaling(&self) -> bool {
        self.map().partitions.len() < self.partitions_min() as usize
    }
}
