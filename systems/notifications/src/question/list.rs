//! A page of a user's in-app list: newest first, without dismissed notifications.

use client::{Item, Query, QueryPageOptions};
use serde::de::IgnoredAny;

use crate::domain::{Category, Notification, UserId};
use crate::error::{Error, InvalidField, Result};
use crate::notifications::Notifications;
use service::charge::{ChargeMeter, ChargedValue};

/// Which page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// Notifications per page, at most 100; 20 when absent.
    pub limit: Option<usize>,
    /// Continuation token of the previous page.
    pub continuation: Option<String>,
    /// Only this category.
    pub category: Option<Category>,
}

/// One page of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct NotificationPage {
    /// Newest first.
    pub notifications: Vec<Notification>,
    /// Continuation token of the next page; `None` on the last one.
    pub continuation: Option<String>,
}

impl ListOptions {
    /// Notifications per page by default.
    pub const LIMIT: usize = 20;
    /// The most notifications per page.
    pub const LIMIT_MAX: usize = 100;
}

impl Notifications {
    /// A page of a user's list.
    ///
    /// # Errors
    /// `Invalid` for a limit out of bounds and for a continuation token of another list.
    pub async fn list(
        &self,
        user: &UserId,
        options: &ListOptions,
    ) -> Result<ChargedValue<NotificationPage>> {
        let limit = options.limit.unwrap_or(ListOptions::LIMIT);
        if !(1..=ListOptions::LIMIT_MAX).contains(&limit) {
            let message = format!("{limit} is not between 1 and {}", ListOptions::LIMIT_MAX);
            return Err(Error::with_invalid_fields(
                "the page",
                vec![InvalidField::new("limit", message)],
            ));
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
        // The account may return a short page, even an empty one, before the end of the list.
        loop {
            // Only what is missing: a token points behind the rows of its page, so rows beyond the limit would be
            // skipped by the next request.
            let rows_max = Some(limit - notifications.len());
            let page = QueryPageOptions { rows_max, continuation, session_token: None };
            let container = &self.core.containers.notifications;
            let answer = container.query_page::<Item<IgnoredAny>>(&query, page).await;
            let page = meter.record(answer.map_err(foreign_continuation)?);
            notifications.extend(page.rows.iter().filter_map(parse_or_skip));
            continuation = page.continuation;
            if notifications.len() >= limit || continuation.is_none() {
                return Ok(meter.finish(NotificationPage { notifications, continuation }));
            }
        }
    }
}

/// A notification that cannot be parsed is left out, so that the user still sees the others.
fn parse_or_skip(item: &Item<IgnoredAny>) -> Option<Notification> {
    let read = item.typed::<Notification>();
    read.inspect_err(|error| tracing::error!(%error, "a notification cannot be parsed"))
        .ok()
        .map(Item::into_value)
}

/// The query text is ours, so only the continuation token can be wrong.
fn foreign_continuation(error: client::Error) -> Error {
    match error.kind() {
        client::ErrorKind::BadRequest => {
            let error =
                InvalidField::new("continuationToken", "is not of this list; start without one");
            Error::with_invalid_fields("the page", vec![error])
        }
        _ => error.into(),
    }
}
