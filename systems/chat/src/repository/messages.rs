//! Messages: create, and one message. Pages are in `history`, changes in `message_changes`.

use std::sync::Arc;

use client::{Environment, ErrorKind as AccountErrorKind, Item, Query};
use service::charge::{ChargeMeter, ChargedValue};

use super::all_pages::all_pages;
use super::charges::RoomCharges;
use crate::containers::ChatContainers;
use crate::domain::{
    ChatMessage, MessageContent, MessageIdRequest, MessageIds, RoomName, ULID_CHARS, UserName,
    UtcTimestamp,
};
use crate::error::{Error, Result};

/// Ids drawn for one message before giving up.
const DRAWS_MAX: u32 = 8;

/// The container `messages`.
#[derive(Clone)]
pub struct MessageRepository {
    pub(super) containers: ChatContainers,
    pub(super) environment: Environment,
    ids: Arc<dyn MessageIds>,
    pub(super) charges: RoomCharges,
}

/// What is needed to store a message.
#[derive(Clone, Debug)]
pub struct NewMessage {
    /// The room.
    pub room: RoomName,
    /// The sender.
    pub from: UserName,
    /// The text.
    pub content: MessageContent,
    /// The sender's own id of it.
    pub correlation_id: Option<String>,
    /// The message that it answers.
    pub reply_to: Option<String>,
    /// Seconds from its creation to its expiry, if the message itself says so.
    pub life_seconds: Option<u32>,
}

/// A message that is stored now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatedMessage {
    /// The message.
    pub message: ChatMessage,
    /// Whether this call stored it; otherwise an earlier one with the same correlation id did.
    pub is_new: bool,
}

impl MessageRepository {
    pub(crate) fn new(
        containers: ChatContainers,
        environment: Environment,
        ids: Arc<dyn MessageIds>,
        charges: RoomCharges,
    ) -> Self {
        Self { containers, environment, ids, charges }
    }

    /// Stores a message under an id that is free in its room. A message that was stored before with the same
    /// correlation id of the same sender is returned instead.
    ///
    /// # Errors
    /// `Unavailable` if eight ids in a row were taken; those of the account.
    pub async fn create(&self, new: NewMessage) -> Result<ChargedValue<CreatedMessage>> {
        let mut meter = ChargeMeter::default();
        let created = self.create_within(&new, &mut meter).await;
        self.charges.add(&new.room, meter.total());
        created.map(|created| meter.finish(created))
    }

    async fn create_within(
        &self,
        new: &NewMessage,
        meter: &mut ChargeMeter,
    ) -> Result<CreatedMessage> {
        let NewMessage { room, from, .. } = new;
        let correlation_id = new.correlation_id.as_deref();
        for attempt in 0..DRAWS_MAX {
            let id = self.ids.draw(MessageIdRequest { room, from, correlation_id, attempt });
            // An id that sorts by time is new each time, so the earlier message does not stand in the way of this one.
            if let (0, ULID_CHARS, Some(correlation_id)) = (attempt, id.len(), correlation_id)
                && let Some(message) = self.correlated(new, correlation_id, meter).await?
            {
                return Ok(CreatedMessage { message, is_new: false });
            }
            let message = self.message(new, id);
            match self.containers.messages.create(&self.containers.room_key(room), &message).await {
                Ok(created) => {
                    let message = meter.record(created).value;
                    return Ok(CreatedMessage { message, is_new: true });
                }
                Err(error) if error.kind() == AccountErrorKind::Conflict => {
                    meter.record_error(&error);
                    if let Some(message) = self.same(&message, meter).await? {
                        return Ok(CreatedMessage { message, is_new: false });
                    }
                    tracing::debug!(%room, attempt, "the id of a message was taken");
                }
                Err(error) => {
                    meter.record_error(&error);
                    return Err(error.into());
                }
            }
        }
        Err(Error::unavailable(format!(
            "{DRAWS_MAX} ids in a row were taken in the room '{room}'; set Chat:MessageIdStrategy=ulid"
        )))
    }

    fn message(&self, new: &NewMessage, id: String) -> ChatMessage {
        ChatMessage {
            id,
            room_name: new.room.clone(),
            content: new.content.as_str().to_owned(),
            from_user: new.from.as_str().to_owned(),
            timestamp: UtcTimestamp::now(&self.environment),
            read_by: Vec::new(),
            correlation_id: new.correlation_id.clone(),
            reply_to: new.reply_to.clone(),
            edited_at: None,
            deleted_at: None,
            tenant_id: self.containers.tenant().map(str::to_owned),
            ttl: new.life_seconds.map(i64::from),
        }
    }

    /// The stored message under this id, if it is the same one.
    async fn same(
        &self,
        message: &ChatMessage,
        meter: &mut ChargeMeter,
    ) -> Result<Option<ChatMessage>> {
        if message.correlation_id.is_none() {
            return Ok(None);
        }
        let found = self.read(&message.room_name, &message.id, meter).await?;
        Ok(found.map(|item| item.value).filter(|found| {
            found.from_user == message.from_user && found.correlation_id == message.correlation_id
        }))
    }

    async fn correlated(
        &self,
        new: &NewMessage,
        correlation_id: &str,
        meter: &mut ChargeMeter,
    ) -> Result<Option<ChatMessage>> {
        let query = Query::text(
            "SELECT * FROM c WHERE c.correlationId = @correlationId AND c.fromUser = @from",
        )
        .parameter("@correlationId", correlation_id)
        .parameter("@from", new.from.as_str())
        .within(self.containers.room_key(&new.room));
        let found = all_pages(&self.containers.messages, "messages.correlated", query).await?;
        meter.add(found.charge);
        Ok(found.value.into_iter().next())
    }

    /// A message of a room: a point read.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn get(
        &self,
        room: &RoomName,
        id: &str,
    ) -> Result<ChargedValue<Option<ChatMessage>>> {
        let mut meter = ChargeMeter::default();
        let found = self.read(room, id, &mut meter).await?;
        self.charges.add(room, meter.total());
        Ok(meter.finish(found.map(|item| item.value)))
    }

    /// All messages with this id: an id is unique in its room only.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn find(&self, id: &str) -> Result<ChargedValue<Vec<ChatMessage>>> {
        let query = Query::text("SELECT * FROM c WHERE c.id = @id").parameter("@id", id);
        let query = query.fan_out("the caller does not say in which room the message is");
        all_pages(&self.containers.messages, "messages.find", query).await
    }

    pub(super) async fn read(
        &self,
        room: &RoomName,
        id: &str,
        meter: &mut ChargeMeter,
    ) -> Result<Option<Item<ChatMessage>>> {
        match self.containers.messages.read(&self.containers.room_key(room), id).await {
            Ok(found) => Ok(Some(meter.record(found))),
            Err(error) => {
                meter.record_error(&error);
                match error.kind() {
                    AccountErrorKind::NotFound => Ok(None),
                    // An id that no item can have.
                    AccountErrorKind::BadRequest => Ok(None),
                    _ => Err(error.into()),
                }
            }
        }
    }
}
