//! Read, change, write if nobody else did, and again if somebody did.
//!
//! Owns the one loop of optimistic writing. Does not own retries of the calls inside it.

use model::{Json, PartitionKey};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::answer::Answer;
use crate::call::Request;
use crate::error::{Error, ErrorKind, Result};
use crate::resource::Container;

use super::Item;

/// Rounds of one modification. Twenty writers of one item get through; more are a hot item, which needs another shape.
const ROUNDS_MAX: u32 = 50;

impl Container {
    /// Reads an item, lets `change` change it, and writes it back unless somebody wrote it meanwhile; then it starts
    /// over with what they wrote. What `T` does not know stays. A change that changes nothing writes nothing.
    ///
    /// `change` runs once a round, so it must do nothing but change the value. An error of it ends the loop.
    ///
    /// # Errors
    /// Those of `change`; `NotFound`; `Precondition` when others were faster in every round.
    pub async fn modify<T, E>(
        &self,
        partition_key: &PartitionKey,
        id: &str,
        mut change: impl FnMut(&mut T) -> std::result::Result<(), E>,
    ) -> std::result::Result<Answer<Item<T>>, E>
    where
        T: Serialize + DeserializeOwned,
        E: From<Error>,
    {
        let mut charge = 0.0;
        for round in 1.. {
            let mut read = self.read::<T>(partition_key, id).await?;
            charge += read.charge;
            change(&mut read.value.value)?;
            let item = read.value.to_json()?;
            if Json::parse(read.value.text()).is_ok_and(|stored| stored == item) {
                return Ok(Answer { charge, ..read });
            }
            match self.write_back(partition_key, id, &read.value, item).await {
                Ok(written) => {
                    charge += written.charge;
                    return Ok(Answer { charge, ..written });
                }
                Err(error) if error.kind() == ErrorKind::Precondition && round < ROUNDS_MAX => {
                    self.wait_after(round).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::unexpected("the rounds of a modification are bounded").into())
    }

    async fn write_back<T: DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        id: &str,
        read: &Item<T>,
        item: Json,
    ) -> Result<Answer<Item<T>>> {
        let at = self.at(partition_key, id)?;
        let etag = read.etag().ok_or_else(|| {
            Error::unexpected("the item was read without an etag, so it cannot be modified safely")
        })?;
        let replace = Request::Replace { at, item, etag: Some(etag) };
        Item::of_reply(self.account().send(&replace).await?)
    }

    /// The first rounds follow at once: who lost to one other writer need not wait.
    async fn wait_after(&self, round: u32) {
        let environment = self.account().environment();
        tracing::debug!(container = %self.path(), round, "somebody else wrote the item first");
        if round > 2 {
            let policy = crate::retry::RetryPolicy {
                first_delay: std::time::Duration::from_millis(2),
                delay_max: std::time::Duration::from_millis(200),
                ..crate::retry::RetryPolicy::default()
            };
            environment.sleep(policy.backoff(round - 2, environment.random())).await;
        }
    }
}
