//! Reading and putting away, one notification or all.
//!
//! Owns that both are idempotent and that a write does not prolong a life: the time to live is what is left of it.

use client::{ErrorKind, Query};

use crate::charge::{ChargeMeter, ChargedValue};
use crate::domain::{Moment, Notification, UserId};
use crate::error::{Error, Result};
use crate::notifications::{Notifications, NotificationsCore};

impl Notifications {
    /// Marks a notification as read. Again, it changes nothing.
    ///
    /// # Errors
    /// `NotFound` when the user has no such notification.
    pub async fn mark_read(&self, user: &UserId, id: &str) -> Result<ChargedValue<Notification>> {
        self.core.mark(user, id, Notification::mark_read).await
    }

    /// Puts a notification away: it leaves the list. Again, it changes nothing.
    ///
    /// # Errors
    /// `NotFound` when the user has no such notification.
    pub async fn dismiss(&self, user: &UserId, id: &str) -> Result<ChargedValue<Notification>> {
        self.core.mark(user, id, Notification::dismiss).await
    }

    /// Marks everything as read that is in the list now, and says how many were unread.
    ///
    /// # Errors
    /// Those of the account; what was marked before stays so, and calling again goes on.
    pub async fn mark_all_read(&self, user: &UserId) -> Result<ChargedValue<u64>> {
        let core = &self.core;
        let query =
            Query::text("SELECT VALUE c.id FROM c WHERE c.read = false AND c.dismissed = false");
        let query = query.within(user.partition_key());
        let mut meter = ChargeMeter::default();
        let unread: Vec<String> = meter.record(core.containers.notifications.query(&query).await?);
        let mut marked = 0;
        for id in unread {
            match core.mark_quietly(user, &id, Notification::mark_read).await {
                Ok(one) => {
                    meter.add(one.charge);
                    marked += 1;
                }
                // It expired meanwhile.
                Err(error) if error.kind() == crate::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        if marked > 0 {
            core.streams.wake();
        }
        Ok(meter.finish(marked))
    }
}

impl NotificationsCore {
    async fn mark(
        &self,
        user: &UserId,
        id: &str,
        change: fn(&mut Notification, Moment),
    ) -> Result<ChargedValue<Notification>> {
        let marked = self.mark_quietly(user, id, change).await?;
        self.streams.wake();
        Ok(marked)
    }

    async fn mark_quietly(
        &self,
        user: &UserId,
        id: &str,
        change: fn(&mut Notification, Moment),
    ) -> Result<ChargedValue<Notification>> {
        let now = self.now();
        let marked = self
            .containers
            .notifications
            .modify(&user.partition_key(), id, |notification: &mut Notification| {
                let before = notification.clone();
                change(notification, now);
                // Nothing is written when nothing changes, so the life must not be reckoned anew then.
                if *notification != before {
                    notification.ttl = self.ttl(notification.created_at, now);
                }
                Ok::<(), client::Error>(())
            })
            .await
            .map_err(|error| missing(error, id))?;
        Ok(ChargedValue::new(marked.value.into_value(), marked.charge))
    }
}

/// An id that is no item id is no notification either.
fn missing(error: client::Error, id: &str) -> Error {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::BadRequest => {
            Error::not_found(format!("there is no notification '{id}'; it may have expired"))
        }
        _ => error.into(),
    }
}
