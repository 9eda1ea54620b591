//! Split: one physical partition becomes two.
//!
//! Owns the choice of the epk to split at. Does not own the copying: see `replace`.

use std::sync::Arc;

use super::replace::replace_partitions;
use crate::catalog::ContainerEntry;
use crate::charge;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::operation::SplitPartition;
use crate::partition::{PhysicalPartition, retired_error};
use crate::response::Response;

impl Engine {
    /// Splits a physical partition in two while it is in use; returns the numbers of the new ones.
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
    /// let split = SplitPartition { container: orders.clone(), partition: 0, at: None };
    /// let halves = engine.split_partition(split).await?.value;
    /// let partitions = (halves[0], halves[1]);
    /// let merged = engine.merge_partitions(MergePartitions { container: orders, partitions }).await?;
    /// println!("one partition again: {}", merged.value);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `PartitionGone` if there is no partition of that number, `Invalid` if the epk lies outside its range.
    pub async fn split_partition(&self, operation: SplitPartition) -> Result<Response<Vec<u32>>> {
        let container = self.container(&operation.container)?;
        let number = operation.partition;
        let source = find(&container, number)?;
        let definition = &container.identity.definition;
        let cut = operation.at.unwrap_or_else(|| source.range.midpoint(definition));
        let (lower, upper) = source.range.split_at(&cut).ok_or_else(|| {
            Error::invalid(format!(
                "physical partition {number} owns {} to {} and cannot be cut at {cut}",
                source.range.min, source.range.max
            ))
        })?;
        let engine = self.clone();
        let split = async move {
            replace_partitions(&engine, &container, &[source], vec![lower, upper]).await
        };
        // On a task of its own: a caller that goes away must not stop the switch half way.
        let numbers = self.uninterrupted(split).await?;
        Ok(Response {
            value: numbers,
            charge: charge::metadata_write(),
            session_token: None,
            explanation: None,
        })
    }
}

/// The partition of that number.
pub(super) fn find(container: &ContainerEntry, number: u32) -> Result<Arc<PhysicalPartition>> {
    container.map().by_number(number).cloned().ok_or_else(|| retired_error(number))
}
