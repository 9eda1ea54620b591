//! Merge: two adjacent physical partitions become one.
//!
//! Owns the check that they are adjacent. Does not own the copying: see `replace`.

use super::replace::replace_partitions;
use super::split::find;
use crate::charge;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::operation::MergePartitions;
use crate::response::Response;

impl Engine {
    /// Merges two adjacent physical partitions while they are in use; returns the number of the new one.
    ///
    /// # Errors
    /// `PartitionGone` if one of them does not exist, `Invalid` if they are not adjacent, or if the throughput of
    /// the container needs both.
    pub async fn merge_partitions(&self, operation: MergePartitions) -> Result<Response<u32>> {
        let container = self.container(&operation.container)?;
        let (left, right) = operation.partitions;
        let mut sources = [find(&container, left)?, find(&container, right)?];
        sources.sort_by(|left, right| left.range.min.cmp(&right.range.min));
        let [first, second] = &sources;
        // Refuses a partition with itself too: its range is not adjacent to itself.
        let range = first.range.merge(&second.range).ok_or_else(|| {
            Error::invalid(format!("physical partitions {left} and {right} are no neighbours"))
        })?;
        let (partitions, needed) = (container.map().partitions.len(), container.partitions_min());
        if partitions <= needed as usize {
            return Err(Error::invalid(format!(
                "container '{}' needs {needed} physical partitions for its throughput and has {partitions}; lower its \
                 throughput before you merge them",
                container.link
            )));
        }
        let engine = self.clone();
        let merge =
            async move { replace_partitions(&engine, &container, &sources, vec![range]).await };
        let numbers = self.uninterrupted(merge).await?;
        let number = numbers.first().copied().unwrap_or_default();
        Ok(Response {
            value: number,
            charge: charge::metadata_write(),
            session_token: None,
            explanation: None,
        })
    }
}
