//! A page of a user's in-app list: newest first, without what was put away.

use client::{Item, Query, QueryPageOptions};
use serde::de::IgnoredAny;

use crate::charge::{ChargeMeter, ChargedValue};
use crate::domain::{Category, Notification, UserId};
use crate::error::{Error, FieldError, Result};
use crate::notifications::Notifications;

/// Which page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// Notifications of a page at most; 20 unless given, 100 at most.
    pub limit: Option<usize>,
    /// Where the page before ended.
    pub continuation: Option<String>,
    /// Only this category.
    pub category: Option<Category>,
}

/// One page of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct NotificationPage {
    /// Newest first.
    pub notifications: Vec<Notification>,
    /// Where the next page begins; none at the end.
    pub continuation: Option<String>,
}

impl ListOptions {
    /// Notifications of a page unless told otherwise.
    pub const LIMIT: usize = 20;
    /// Notifications of a page at most.
    pub const LIMIT_MAX: usize = 100;
}

impl Notifications {
    /// A page of a user's list.
    ///
    /// # Errors
    /// `Invalid` for a limit out of bounds and for a continuation that is not of this list.
    pub async fn list(
        &self,
        user: &UserId,
        options: &ListOptions,
    ) -> Result<ChargedValue<NotificationPage>> {
        let limit = options.limit.unwrap_or(ListOptions::LIMIT);
        if !(1..=ListOptions::LIMIT_MAX).contains(&limit) {
            let message = format!("{limit} is not between 1 and {}", ListOptions::LIMIT_MAX);
            return Err(Error::invalid_fields("the page", vec![FieldError::new("limit", message)]));
        }
        let query = match options.category {
            None => {
                Query::text("SELECT * FROM c WHERE c.dismissed = false ORDER BY c.createdAt DESC")
            }
            Some(category) => Query::text(
                "SELECT * FROM c WHERE c.dismissed = false AND c.category = @category \
                 ORDER BY c.createdAt DESC",
            )
            .parameter("@category", category.name()),
        };
        let query = query.within(user.partition_key());
        let mut meter = ChargeMeter::default();
        let mut notifications = Vec::new();
        let mut continuation = options.continuation.clone();
        // A page of the account may be short, and even empty, before the end.
        loop {
            let rows_max = Some(limit - notifications.len());
            let page = QueryPageOptions { rows_max, continuation, session_token: None };
            let container = &self.core.containers.notifications;
            let answer = container.query_page::<Item<IgnoredAny>>(&query, page).await;
            let page = meter.record(answer.map_err(foreign_continuation)?);
            notifications.extend(page.rows.iter().filter_map(readable));
            continuation = page.continuation;
            if notifications.len() >= limit || continuation.is_none() {
                return Ok(meter.finish(NotificationPage { notifications, continuation }));
            }
        }
    }
}

/// One that cannot be read is left out: the rest of the list is worth more than an error.
fn readable(item: &Item<IgnoredAny>) -> Option<Notification> {
    let read = item.typed::<Notification>();
    read.inspect_err(|error| tracing::error!(%error, "a notification cannot be read"))
        .ok()
        .map(Item::into_value)
}

/// The text of the query is ours, so only the continuation can be wrong.
fn foreign_continuation(error: client::Error) -> Error {
    match error.kind() {
        client::ErrorKind::BadRequest => {
            let problem =
                FieldError::new("continuationToken", "is not one of this list; begin without one");
            Error::invalid_fields("the page", vec![problem])
        }
        _ => error.into(),
    }
}
