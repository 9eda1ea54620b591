//! Events that cannot be parsed: damaged by hand, or written by a later version of the program.
//!
//! They become dead where they are, so that operators see them, their time to live runs on and an erasure finds them.
//! They never hold up readable events.

use client::{ErrorKind, Item};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use crate::domain::{EventStatus, NotificationEvent};
use crate::error::Result;
use crate::notifications::NotificationsCore;
use service::charge::ChargeMeter;

impl NotificationsCore {
    /// Parses an event. One that cannot be parsed is marked as dead, and `None` is returned.
    pub(super) async fn parse_event(
        &self,
        item: &Item<IgnoredAny>,
        meter: &mut ChargeMeter,
    ) -> Result<Option<Item<NotificationEvent>>> {
        match item.typed::<NotificationEvent>() {
            Ok(event) => Ok(Some(event)),
            Err(error) => {
                self.mark_dead(item, &error.to_string(), meter).await?;
                Ok(None)
            }
        }
    }

    async fn mark_dead(
        &self,
        item: &Item<IgnoredAny>,
        error: &str,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        // As a plain map: whatever else the item contains is written back unchanged.
        let mut item = item.typed::<Map<String, Value>>()?;
        let retries_max = u64::from(self.settings.max_retries);
        let id = item.value.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let Some(user) = item.value.get("userId").and_then(Value::as_str).map(str::to_owned) else {
            tracing::error!(event = id, error, "an event without a user cannot be parsed");
            return Ok(());
        };
        // This write comes back through the change feed, and must not be repeated then.
        if is_finished(&item.value, retries_max) {
            return Ok(());
        }
        tracing::error!(event = id, error, "an event cannot be parsed and is marked as dead");
        self.health.record_error(self.now(), error);
        // Otherwise the query for due events would find it again and again.
        for name in ["nextRetryAt", "leaseOwner", "leaseUntil", "scheduledAt"] {
            item.value.remove(name);
        }
        let dead = json!({
            "status": EventStatus::Failed.name(),
            "retryCount": retries_max,
            "lastError": "the event cannot be read",
        });
        item.value.extend(dead.as_object().cloned().unwrap_or_default());
        match self.containers.events.save(&user.as_str().into(), &item).await {
            Ok(response) => {
                meter.record(response);
                Ok(())
            }
            // Changed meanwhile, and then the feed brings it again; or erased.
            Err(error) if matches!(error.kind(), ErrorKind::Precondition | ErrorKind::NotFound) => {
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether the event is in a final status: completed, or dead.
fn is_finished(event: &Map<String, Value>, retries_max: u64) -> bool {
    let retries = event.get("retryCount").and_then(Value::as_u64).unwrap_or_default();
    match event.get("status").and_then(Value::as_str).and_then(EventStatus::from_name) {
        Some(EventStatus::Completed | EventStatus::RateLimited | EventStatus::Deduplicated) => true,
        Some(EventStatus::Failed) => retries >= retries_max,
        Some(EventStatus::Pending | EventStatus::Processing) | None => false,
    }
}
