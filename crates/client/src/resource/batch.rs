//! Transactional batches.

use model::PartitionKey;

use crate::error::Result;
use crate::item::{Batch, BatchItemResult};
use crate::request::{BackendRequest, ResponseBody};
use crate::response::AccountResponse;

use super::Container;

impl Container {
    /// Executes all operations of a batch in one logical partition, or none of them. A batch is not repeated when its
    /// response is lost: the error then reports that it may have happened.
    ///
    /// # Errors
    /// The kind of the operation that failed, with [`crate::Error::failed_operation`]; `TooLarge` for more than 100
    /// operations or 2 MB.
    pub async fn batch(
        &self,
        partition_key: &PartitionKey,
        batch: Batch,
    ) -> Result<AccountResponse<Vec<BatchItemResult>>> {
        let request = BackendRequest::Batch {
            container: self.link(),
            partition_key: partition_key.clone(),
            entries: batch.into_entries(),
        };
        self.account().send(&request).await?.try_map(ResponseBody::into_batch)
    }
}
