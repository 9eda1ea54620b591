//! Marking as read and dismissing, one notification or all.
//!
//! Owns that both are idempotent and that a write does not prolong the life of a notification: it sets the rest of it
//! as time to live.

use client::{ErrorKind, Query};

use crate::domain::{Category, Notification, UserId, UtcTimestamp};
use crate::error::{Error, Result};
use crate::notifications::{Notifications, NotificationsCore};
use service::charge::{ChargeMeter, ChargedValue};

impl Notifications {
    /// Marks a notification as read. Repeated, it changes nothing.
    ///
    /// # Errors
    /// `NotFound` if the user has no such notification.
    pub async fn mark_read(&self, user: &UserId, id: &str) -> Result<ChargedValue<Notification>> {
        self.core.mark(user, id, Notification::mark_read).await
    }

    /// Dismisses a notification: it leaves the list. Repeated, it changes nothing.
    ///
    /// # Errors
    /// `NotFound` if the user has no such notification.
    pub async fn dismiss(&self, user: &UserId, id: &str) -> Result<ChargedValue<Notification>> {
        self.core.mark(user, id, Notification::dismiss).await
    }

    /// Takes a dismissal back: the notification is in the list again. Repeated, it changes nothing.
    ///
    /// # Errors
    /// `NotFound` if the user has no such notification.
    pub async fn restore(&self, user: &UserId, id: &str) -> Result<ChargedValue<Notification>> {
        self.core.mark(user, id, Notification::restore).await
    }

    /// Marks all notifications in the list as read, or those of one category, and returns how many were unread.
    ///
    /// # Errors
    /// Those of the account; notifications already marked stay so, and another call continues.
    pub async fn mark_all_read(
        &self,
        user: &UserId,
        category: Option<Category>,
    ) -> Result<ChargedValue<u64>> {
        let core = &self.core;
        let query = match category {
            None => {
                Query::text("SELECT VALUE c.id FROM c WHERE c.read = false AND c.dismissed = false")
            }
            Some(category) => Query::text(
                "SELECT VALUE c.id FROM c WHERE c.read = false AND c.dismissed = false \
                 AND c.category = @category",
            )
            .parameter("@category", category.name()),
        };
        let query = query.within(user.partition_key());
        let mut meter = ChargeMeter::default();
        let unread: Vec<String> = meter.record(core.containers.notifications.query(&query).await?);
        let mut marked = 0;
        // One by one and not in batches: each is conditional on its own etag, and one that changed must not fail the
        // others.
        for id in unread {
            match core.mark_without_wake(user, &id, Notification::mark_read).await {
                Ok(one) => {
                    meter.add(one.charge);
                    marked += 1;
                }
                // It has expired since the query.
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
        change: fn(&mut Notification, UtcTimestamp),
    ) -> Result<ChargedValue<Notification>> {
        let marked = self.mark_without_wake(user, id, change).await?;
        self.streams.wake();
        Ok(marked)
    }

    async fn mark_without_wake(
        &self,
        user: &UserId,
        id: &str,
        change: fn(&mut Notification, UtcTimestamp),
    ) -> Result<ChargedValue<Notification>> {
        let now = self.now();
        let marked = self
            .containers
            .notifications
            .modify(&user.partition_key(), id, |notification: &mut Notification| {
                let before = notification.clone();
                change(notification, now);
                // Nothing is written if nothing changes. A new `ttl` alone would make it a change, so it is only set if
                // something else changed.
                if *notification != before {
                    notification.ttl = self.ttl(notification.created_at, now);
                }
                Ok::<(), client::Error>(())
            })
            .await
            .map_err(|error| not_found(error, id))?;
        Ok(ChargedValue::new(marked.value.into_value(), marked.charge))
    }
}

/// An id that is not a valid item id (`BadRequest`) cannot be that of a notification either.
fn not_found(error: client::Error, id: &str) -> Error {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::BadRequest => {
            Error::not_found(format!("there is no notification '{id}'; it may have expired"))
        }
        _ => error.into(),
    }
}
