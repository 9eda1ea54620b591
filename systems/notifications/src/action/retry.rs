//! Retrying a failed event, by an operator.

use client::ErrorKind;
use service::work::ReplayResult;

use crate::domain::{NotificationEvent, UserId};
use crate::error::{Error, Result};
use crate::notifications::Notifications;
use service::charge::ChargedValue;

impl Notifications {
    /// Resets the attempts of a failed event and makes it `PENDING`. Devices that got the push are left out.
    ///
    /// # Errors
    /// `NotFound`; `Conflict` if it has not failed.
    pub async fn retry_event(
        &self,
        user: &UserId,
        id: &str,
    ) -> Result<ChargedValue<NotificationEvent>> {
        let missing = || {
            Error::not_found(format!("there is no event '{id}' of this user; it may have expired"))
        };
        match self.core.queue.replay(&user.partition_key(), id).await {
            Ok(ReplayResult::Replayed(answer)) => {
                self.core.wake_dispatcher.notify_one();
                Ok(ChargedValue::new(
                    answer.value.into_value().with_derived_fields(),
                    answer.charge,
                ))
            }
            Ok(ReplayResult::NotFailed(event)) => {
                let status = event.value.status.name();
                Err(Error::conflict(format!(
                    "the event '{id}' is {status}; only a FAILED one can be retried"
                )))
            }
            Ok(ReplayResult::Missing) => Err(missing()),
            // An id that is not a valid item id cannot be that of an event either.
            Err(error) if error.kind() == ErrorKind::BadRequest => Err(missing()),
            Err(error) => Err(error.into()),
        }
    }
}
