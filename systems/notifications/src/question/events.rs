//! Events, for operators: by status, dead ones, due ones, one by its id.

use client::{Item, Query, QueryPageOptions};
use serde::Deserialize;
use serde::de::IgnoredAny;
use service::work::WorkItem;

use crate::domain::{EventStatus, NotificationEvent};
use crate::error::{Error, Result};
use crate::notifications::Notifications;
use service::charge::ChargedValue;

/// A page of events.
#[derive(Clone, Debug, PartialEq)]
pub struct EventPage {
    /// Oldest first.
    pub events: Vec<NotificationEvent>,
    /// Continuation token of the next page; `None` on the last one.
    pub continuation: Option<String>,
    /// Ids of events on this page that cannot be parsed.
    pub unreadable: Vec<String>,
}

#[derive(Deserialize)]
struct IdOnly {
    id: String,
}

/// Events per page.
const PAGE_EVENTS: usize = 100;

impl Notifications {
    /// Events of one status, oldest first.
    ///
    /// # Errors
    /// `Invalid` for a continuation token of another query; those of the account.
    pub async fn events(
        &self,
        status: EventStatus,
        continuation: Option<String>,
    ) -> Result<ChargedValue<EventPage>> {
        let query = Query::text("SELECT * FROM c WHERE c.status = @status ORDER BY c.createdAt")
            .parameter("@status", status.name())
            .fan_out("an operator looks at the events of all users");
        self.event_page(&query, continuation).await
    }

    /// Events that failed and have no attempts left.
    ///
    /// # Errors
    /// `Invalid` for a continuation token of another query; those of the account.
    pub async fn dead_events(
        &self,
        continuation: Option<String>,
    ) -> Result<ChargedValue<EventPage>> {
        self.event_page(&NotificationEvent::dead(self.core.settings.max_retries), continuation)
            .await
    }

    /// Events that are waiting or due again, oldest first.
    ///
    /// # Errors
    /// `Invalid` for a continuation token of another query; those of the account.
    pub async fn due_events(
        &self,
        continuation: Option<String>,
    ) -> Result<ChargedValue<EventPage>> {
        let query = Query::text(
            "SELECT * FROM c WHERE c.status = 'PENDING' OR \
             (c.status = 'FAILED' AND c.retryCount < @most AND c.nextRetryAt <= @now) ORDER BY c.createdAt",
        );
        let query = query
            .parameter("@most", i64::from(self.core.settings.max_retries))
            .parameter("@now", self.core.now())
            .fan_out("an operator looks at what is due");
        self.event_page(&query, continuation).await
    }

    /// One event of any user.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn find_event(&self, id: &str) -> Result<ChargedValue<NotificationEvent>> {
        let query = Query::text("SELECT * FROM c WHERE c.id = @id")
            .parameter("@id", id)
            .fan_out("an operator names an event without its user");
        let answer = self.core.containers.events.query::<Item<IgnoredAny>>(&query).await?;
        let found = answer.value.first();
        let found = found.ok_or_else(|| Error::not_found(format!("there is no event '{id}'")))?;
        let unparsable = |_| Error::conflict(format!("the event '{id}' cannot be parsed"));
        let event = found.typed::<NotificationEvent>().map_err(unparsable)?;
        Ok(ChargedValue::new(event.into_value().with_derived_fields(), answer.charge))
    }

    async fn event_page(
        &self,
        query: &Query,
        continuation: Option<String>,
    ) -> Result<ChargedValue<EventPage>> {
        let events = &self.core.containers.events;
        let options = options(continuation);
        let answer = events.query_page::<Item<IgnoredAny>>(query, options).await?;
        let mut page = EventPage {
            events: Vec::with_capacity(answer.value.rows.len()),
            continuation: answer.value.continuation,
            unreadable: Vec::new(),
        };
        for item in answer.value.rows {
            match item.typed::<NotificationEvent>() {
                Ok(event) => page.events.push(event.into_value().with_derived_fields()),
                // One damaged event must not hide a hundred others from the operator who looks for it.
                Err(_) => page.unreadable.push(item.typed::<IdOnly>()?.into_value().id),
            }
        }
        Ok(ChargedValue::new(page, answer.charge))
    }
}

fn options(continuation: Option<String>) -> QueryPageOptions {
    QueryPageOptions { rows_max: Some(PAGE_EVENTS), continuation, session_token: None }
}
