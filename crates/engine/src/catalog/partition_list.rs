//! Lists the physical partitions of a container.

use super::database::metadata_read;
use crate::engine::Engine;
use crate::error::Result;
use crate::operation::ContainerLink;
use crate::response::{PartitionResource, PartitionsResource, Response};

impl Engine {
    /// Lists the physical partitions of a container in the order of their ranges.
    ///
    /// # Errors
    /// `OwnerNotFound` when there is no such container.
    pub async fn list_partitions(
        &self,
        link: &ContainerLink,
    ) -> Result<Response<PartitionsResource>> {
        let map = self.container(link)?.map();
        #[expect(clippy::cast_precision_loss, reason = "a container has few partitions")]
        let throughput_fraction = 1.0 / map.partitions.len().max(1) as f64;
        let partitions = map.partitions.iter().map(|partition| PartitionResource {
            number: partition.identity.number,
            range: partition.range.clone(),
            parents: partition.parents.clone(),
            lsn: partition.published.lsn(),
            usage: partition.published.usage(),
            throughput_fraction,
        });
        let partitions = partitions.collect();
        Ok(metadata_read(PartitionsResource { generation: map.generation, partitions }))
    }
}
