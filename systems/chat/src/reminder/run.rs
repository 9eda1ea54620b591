//! Sends the reminders that are due.

use std::time::Duration;

use crate::chat::ChatCore;
use crate::delivery::{DeliveryAddress, OutgoingText};
use crate::domain::{UnreadReminder, UserName, UtcTimestamp};
use crate::error::Result;

/// A reminder whose process is lost is due again after this.
const LEASE: Duration = Duration::from_secs(60);
const BATCH: usize = 100;

/// What one look at the queue has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReminderRound {
    /// Messages whose members were reminded.
    pub reminded: u32,
    /// Messages that somebody had read, or that are gone.
    pub dropped: u32,
}

impl ChatCore {
    /// Schedules the reminder of a message. A failure does not fail the message.
    pub(crate) async fn schedule_reminder(&self, reminder: &UnreadReminder) {
        let Ok(delay) = u64::try_from(self.settings.notifications.unread_delay_seconds) else {
            return;
        };
        if delay == 0 {
            return;
        }
        let due = self.now().after(Duration::from_secs(delay));
        if let Err(error) = self.reminders.schedule(reminder, due).await {
            tracing::warn!(room = %reminder.room, %error, "an unread reminder could not be scheduled");
        }
    }

    /// Cancels the reminder of a message that somebody has read or deleted.
    pub(crate) async fn cancel_reminder(&self, reminder: &UnreadReminder) {
        if self.settings.notifications.unread_delay_seconds <= 0 {
            return;
        }
        if let Err(error) = self.reminders.cancel(reminder).await {
            // The look at the message when it is due finds out anyway.
            tracing::debug!(room = %reminder.room, %error, "a reminder could not be cancelled");
        }
    }

    /// Sends what is due now.
    pub(crate) async fn send_reminders(&self) -> Result<ReminderRound> {
        let mut round = ReminderRound::default();
        let now = UtcTimestamp::now(&self.environment);
        for reminder in self.reminders.claim_due(now, LEASE, BATCH).await? {
            if self.remind(&reminder).await? {
                round.reminded += 1;
            } else {
                round.dropped += 1;
            }
            self.reminders.cancel(&reminder).await?;
        }
        Ok(round)
    }

    /// Reminds every enabled member but the sender, if nobody has read the message.
    async fn remind(&self, reminder: &UnreadReminder) -> Result<bool> {
        let found = self.messages.get(&reminder.room, &reminder.message_id).await?.value;
        let Some(message) = found else { return Ok(false) };
        if !message.read_by.is_empty() || message.deleted_at.is_some() {
            return Ok(false);
        }
        let room = self.rooms.get_by_name(&reminder.room).await?.value;
        for member in room.map(|room| room.users).unwrap_or_default() {
            if member == message.from_user {
                continue;
            }
            let Ok(name) = UserName::parse(&member) else { continue };
            let Some(user) = self.users.get_by_user_name(&name).await?.value else { continue };
            if !user.is_enabled() {
                continue;
            }
            let text = format!("New message in #{}", reminder.room);
            for address in DeliveryAddress::all_of(&user) {
                self.deliver(OutgoingText { address, subject: text.clone(), text: text.clone() });
            }
        }
        Ok(true)
    }
}
