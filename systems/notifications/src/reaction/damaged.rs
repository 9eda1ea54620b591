//! Events that cannot be read: damaged by hand, or written by a later version.
//!
//! Owns giving them up: they become dead where they are, so that operators see them, their time to live goes on and an
//! erasure finds them. What is whole never waits for them.

use client::{ErrorKind, Item};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use crate::charged::Bill;
use crate::error::Result;
use crate::notifications::Core;
use crate::words::{Event, Status};

impl Core {
    /// The event, or nothing when it cannot be read; then it is given up.
    pub(super) async fn readable(
        &self,
        item: &Item<IgnoredAny>,
        bill: &mut Bill,
    ) -> Result<Option<Item<Event>>> {
        match item.typed::<Event>() {
            Ok(event) => Ok(Some(event)),
            Err(error) => {
                self.give_up(item, &error.to_string(), bill).await?;
                Ok(None)
            }
        }
    }

    async fn give_up(&self, item: &Item<IgnoredAny>, why: &str, bill: &mut Bill) -> Result<()> {
        let mut item = item.typed::<Map<String, Value>>()?;
        let retries_max = u64::from(self.settings.max_retries);
        let id = item.value.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let Some(user) = item.value.get("userId").and_then(Value::as_str).map(str::to_owned) else {
            tracing::error!(event = id, why, "an event without a user cannot be read");
            return Ok(());
        };
        if is_over(&item.value, retries_max) {
            return Ok(());
        }
        tracing::error!(event = id, why, "an event cannot be read and is given up");
        self.health.error(self.now(), why);
        for name in ["nextRetryAt", "leaseOwner", "leaseUntil", "scheduledAt"] {
            item.value.remove(name);
        }
        let end = json!({
            "status": Status::Failed.name(),
            "retryCount": retries_max,
            "lastError": "the event cannot be read",
        });
        item.value.extend(end.as_object().cloned().unwrap_or_default());
        match self.containers.events.save(&user.as_str().into(), &item).await {
            Ok(answer) => {
                bill.take(answer);
                Ok(())
            }
            // Changed meanwhile, and then met again; or erased.
            Err(error) if matches!(error.kind(), ErrorKind::Precondition | ErrorKind::NotFound) => {
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether nothing more would be done with it anyway.
fn is_over(event: &Map<String, Value>, retries_max: u64) -> bool {
    let retries = event.get("retryCount").and_then(Value::as_u64).unwrap_or_default();
    match event.get("status").and_then(Value::as_str).and_then(Status::named) {
        Some(Status::Completed | Status::RateLimited | Status::Deduplicated) => true,
        Some(Status::Failed) => retries >= retries_max,
        Some(Status::Pending | Status::Processing) | None => false,
    }
}
