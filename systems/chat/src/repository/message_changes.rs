//! Changes of a message: read receipts, edits, tombstones, deletion.
//!
//! Each is a conditional write that starts over when somebody else was faster.

use std::time::Duration;

use client::ErrorKind as AccountErrorKind;
use service::charge::{ChargeMeter, ChargedValue};
use service::work::ttl_seconds;

use super::messages::MessageRepository;
use crate::domain::{ChatMessage, MessageContent, RoomName, UserName, UtcTimestamp};
use crate::error::{Error, ErrorKind, Result};

/// How a message is changed, and how long it lives.
#[derive(Clone, Copy, Debug)]
pub struct MessageChange<'a> {
    /// The room.
    pub room: &'a RoomName,
    /// The id of the message.
    pub id: &'a str,
    /// Who changes it.
    pub by: &'a UserName,
    /// Seconds from its creation to its expiry, if the message itself says so.
    pub life_seconds: Option<u32>,
}

/// What became of a message that somebody wanted to delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteResult {
    /// It is gone.
    Deleted,
    /// Somebody else sent it; it stays.
    OfSomebodyElse,
    /// There is none.
    Missing,
}

impl MessageRepository {
    /// Adds a reader once; `None` if there is no such message. Concurrent readers are all added.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn mark_read(
        &self,
        change: MessageChange<'_>,
    ) -> Result<ChargedValue<Option<ChatMessage>>> {
        let reader = change.by.as_str();
        self.change(change, |message| {
            if !message.is_read_by(reader) {
                message.read_by.push(reader.to_owned());
            }
            Ok(())
        })
        .await
    }

    /// Replaces the text of a message of the caller.
    ///
    /// # Errors
    /// `Forbidden` for a message of somebody else, `Conflict` for a deleted one; those of the account.
    pub async fn edit(
        &self,
        change: MessageChange<'_>,
        content: &MessageContent,
    ) -> Result<ChargedValue<Option<ChatMessage>>> {
        let now = UtcTimestamp::now(&self.environment);
        let by = change.by.as_str();
        self.change(change, |message| {
            if message.from_user != by {
                return Err(Error::new(ErrorKind::Forbidden, "only its sender may edit a message"));
            }
            if message.deleted_at.is_some() {
                return Err(Error::conflict("the message was deleted"));
            }
            if message.content != content.as_str() {
                content.as_str().clone_into(&mut message.content);
                message.edited_at = Some(now);
            }
            Ok(())
        })
        .await
    }

    /// Empties a message of the caller and leaves a tombstone.
    ///
    /// # Errors
    /// `Forbidden` for a message of somebody else; those of the account.
    pub async fn bury(
        &self,
        change: MessageChange<'_>,
    ) -> Result<ChargedValue<Option<ChatMessage>>> {
        let now = UtcTimestamp::now(&self.environment);
        let by = change.by.as_str();
        self.change(change, |message| {
            if message.from_user != by {
                return Err(Error::new(
                    ErrorKind::Forbidden,
                    "only its sender may delete a message",
                ));
            }
            if message.deleted_at.is_none() {
                message.content.clear();
                message.deleted_at = Some(now);
            }
            Ok(())
        })
        .await
    }

    async fn change(
        &self,
        change: MessageChange<'_>,
        mut apply: impl FnMut(&mut ChatMessage) -> Result<()>,
    ) -> Result<ChargedValue<Option<ChatMessage>>> {
        let MessageChange { room, id, life_seconds, .. } = change;
        let now = UtcTimestamp::now(&self.environment);
        let key = self.containers.room_key(room);
        let changed = self.containers.messages.modify(&key, id, |message: &mut ChatMessage| {
            let before = message.clone();
            apply(message)?;
            // Only with a real change: otherwise the seconds alone would cost a write.
            if let Some(life) = life_seconds.filter(|_| *message != before) {
                let at = message.timestamp.after(Duration::from_secs(life.into()));
                message.ttl = Some(ttl_seconds(at, now).into());
            }
            Ok::<_, Error>(())
        });
        match changed.await {
            Ok(changed) => {
                self.charges.add(room, changed.charge);
                Ok(ChargedValue::new(Some(changed.value.value), changed.charge))
            }
            Err(error) => match error.data_error().map(client::Error::kind) {
                Some(AccountErrorKind::NotFound | AccountErrorKind::BadRequest) => {
                    let charge = error.data_error().map_or(0.0, client::Error::charge);
                    Ok(ChargedValue::new(None, charge))
                }
                _ => Err(error),
            },
        }
    }

    /// Deletes a message of its sender. Others and unknown ids have no effect.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn delete(
        &self,
        room: &RoomName,
        id: &str,
        by: &UserName,
    ) -> Result<ChargedValue<DeleteResult>> {
        let mut meter = ChargeMeter::default();
        let Some(found) = self.read(room, id, &mut meter).await? else {
            return Ok(meter.finish(DeleteResult::Missing));
        };
        if found.value.from_user != by.as_str() {
            return Ok(meter.finish(DeleteResult::OfSomebodyElse));
        }
        let key = self.containers.room_key(room);
        let result = match self.containers.messages.delete(&key, id, None).await {
            Ok(deleted) => {
                meter.record(deleted);
                DeleteResult::Deleted
            }
            Err(error) if error.kind() == AccountErrorKind::NotFound => {
                meter.record_error(&error);
                DeleteResult::Missing
            }
            Err(error) => return Err(error.into()),
        };
        self.charges.add(room, meter.total());
        Ok(meter.finish(result))
    }
}
