//! Reminders as items of `chat_state`: for a system without Redis.

use std::time::Duration;

use async_trait::async_trait;
use client::{Container, ErrorKind as AccountErrorKind, Item, Query};
use serde::{Deserialize, Serialize};

use super::queue::ReminderQueue;
use crate::domain::{UnreadReminder, UtcTimestamp};
use crate::error::Result;
use crate::repository::all_pages;

/// An item that nobody removed, for example because it cannot be delivered, goes after this.
const LIFE: Duration = Duration::from_secs(7 * 86_400);
const KIND: &str = "reminder";

/// Reminders as items.
pub(crate) struct StoredReminders {
    state: Container,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReminderItem {
    id: String,
    kind: String,
    reminder: String,
    due_at: UtcTimestamp,
    ttl: u64,
}

impl StoredReminders {
    pub(crate) fn new(state: Container) -> Self {
        Self { state }
    }
}

fn item_id(reminder: &UnreadReminder) -> String {
    // Names of rooms have no character that an item id refuses.
    format!("reminder {}", reminder.key())
}

#[async_trait]
impl ReminderQueue for StoredReminders {
    async fn schedule(&self, reminder: &UnreadReminder, due: UtcTimestamp) -> Result<()> {
        let item = ReminderItem {
            id: item_id(reminder),
            kind: KIND.to_owned(),
            reminder: reminder.key(),
            due_at: due,
            ttl: LIFE.as_secs(),
        };
        self.state.upsert(&item.id.as_str().into(), &item, None).await?;
        Ok(())
    }

    async fn cancel(&self, reminder: &UnreadReminder) -> Result<()> {
        let id = item_id(reminder);
        match self.state.delete(&id.as_str().into(), &id, None).await {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == AccountErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn claim_due(
        &self,
        now: UtcTimestamp,
        lease: Duration,
        most: usize,
    ) -> Result<Vec<UnreadReminder>> {
        let query = Query::text("SELECT * FROM c WHERE c.kind = 'reminder' AND c.dueAt <= @now");
        let query = query.parameter("@now", now).fan_out("reminders of all rooms are due");
        let due = all_pages::<Item<ReminderItem>>(&self.state, "reminders.due", query).await?;
        let mut claimed = Vec::new();
        for mut item in due.value.into_iter().take(most) {
            item.value.due_at = now.after(lease);
            // Of several processes the one whose conditional write succeeds has it.
            match self.state.save(&item.value.id.as_str().into(), &item).await {
                Ok(_) => claimed.extend(UnreadReminder::parse(&item.value.reminder)),
                Err(error) => match error.kind() {
                    AccountErrorKind::Precondition | AccountErrorKind::NotFound => {}
                    _ => return Err(error.into()),
                },
            }
        }
        Ok(claimed)
    }
}
