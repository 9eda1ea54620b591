//! Sending a failed event on its way again, by an operator.

use client::ErrorKind;

use crate::charged::Charged;
use crate::error::{Error, Result};
use crate::notifications::Notifications;
use crate::words::{Event, Status, UserId};

impl Notifications {
    /// Gives a failed event all its attempts again. Pushes that were delivered are not repeated.
    ///
    /// # Errors
    /// `NotFound`; `Conflict` when it has not failed.
    pub async fn retry_event(&self, user: &UserId, id: &str) -> Result<Charged<Event>> {
        let core = &self.core;
        let now = core.now();
        let retried = core
            .containers
            .events
            .modify(&user.partition_key(), id, |event: &mut Event| {
                if event.status != Status::Failed {
                    let status = event.status.name();
                    return Err(Error::conflict(format!(
                        "the event '{id}' is {status}; only a FAILED one can be sent again"
                    )));
                }
                event.status = Status::Pending;
                event.retry_count = 0;
                event.next_retry_at = None;
                event.processed_at = None;
                event.ttl = core.ttl(event.created_at, now);
                Ok(())
            })
            .await
            .map_err(|error: Error| match error.data_error().map(client::Error::kind) {
                Some(ErrorKind::NotFound | ErrorKind::BadRequest) => Error::not_found(format!(
                    "there is no event '{id}' of this user; it may have expired"
                )),
                _ => error,
            })?;
        core.wake.notify_one();
        Ok(Charged::new(retried.value.into_value(), retried.charge))
    }
}
