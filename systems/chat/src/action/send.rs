//! Sends a message: checks, stores, notifies the room, schedules the reminder, notifies who is mentioned.

use service::charge::ChargedValue;

use super::ChatMember;
use crate::broadcast::ClientEvent;
use crate::chat::{Chat, ChatCore};
use crate::containers::message_life_seconds;
use crate::domain::{
    ChatRoom, ChatUser, MessageContent, MessageView, RoomName, UnreadReminder, UserName,
};
use crate::error::{Error, Result};
use crate::mention::UserMention;
use crate::repository::NewMessage;

/// The longest correlation id, in bytes.
const CORRELATION_BYTES_MAX: usize = 128;

/// A message to send.
#[derive(Clone, Debug)]
pub struct SendRequest {
    /// The room.
    pub room: RoomName,
    /// The text.
    pub content: String,
    /// The sender's own id of it: the same id again is the same message.
    pub correlation_id: Option<String>,
    /// The message that it answers.
    pub reply_to: Option<String>,
}

/// A message that is stored now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentMessage {
    /// What clients see of it.
    pub view: MessageView,
    /// Whether it was stored and broadcast now; otherwise it was before, with the same correlation id.
    pub is_new: bool,
}

impl Chat {
    /// Sends a message of a member.
    ///
    /// # Errors
    /// `Invalid` for a wrong text, `Forbidden` in a room of others, `Limited` after too many; those of the account.
    pub async fn send(
        &self,
        member: &ChatMember,
        request: SendRequest,
    ) -> Result<ChargedValue<SentMessage>> {
        let core = &self.core;
        let room = core.enter(member, &request.room).await?;
        core.permit_message(&member.name).await?;
        core.send_as(&member.name, Some(&member.user), &room, request).await
    }
}

impl ChatCore {
    /// Sends a message of somebody who may.
    pub(crate) async fn send_as(
        &self,
        from: &UserName,
        sender: Option<&ChatUser>,
        room: &ChatRoom,
        request: SendRequest,
    ) -> Result<ChargedValue<SentMessage>> {
        let content =
            MessageContent::parse(&request.content, self.settings.chat.max_message_length)
                .map_err(|why| Error::invalid_field("content", why))?;
        let correlation_id = request.correlation_id.filter(|id| !id.is_empty());
        if correlation_id.as_ref().is_some_and(|id| id.len() > CORRELATION_BYTES_MAX) {
            let why = format!("at most {CORRELATION_BYTES_MAX} bytes");
            return Err(Error::invalid_field("correlationId", why));
        }
        if request.reply_to.is_some() && !self.settings.features.reply_to {
            return Err(Error::invalid_field("replyTo", "Features:ReplyTo is off"));
        }
        let mut charge = 0.0;
        if let Some(reply_to) = &request.reply_to {
            let answered = self.messages.get(&room.name, reply_to).await?;
            charge += answered.charge;
            if answered.value.is_none() {
                let why = format!("there is no message '{reply_to}' in the room '{}'", room.name);
                return Err(Error::invalid_field("replyTo", why));
            }
        }
        let new = NewMessage {
            room: room.name.clone(),
            from: from.clone(),
            content: content.clone(),
            correlation_id,
            reply_to: request.reply_to,
            life_seconds: message_life_seconds(&self.settings, room.retention_seconds),
        };
        let created = self.messages.create(new).await?;
        charge += created.charge;
        let view = MessageView::new(&created.value.message, sender);
        if !created.value.is_new {
            // It was broadcast when it was stored.
            return Ok(ChargedValue::new(SentMessage { view, is_new: false }, charge));
        }
        self.counters.count_message();
        charge += self.count_message_of(&room.name, from).await;
        self.broadcast(&room.name, ClientEvent::new_message(&view)).await;
        let reminder = UnreadReminder { room: room.name.clone(), message_id: view.id.clone() };
        self.schedule_reminder(&reminder).await;
        self.tell_mentioned(from, room, &view.id, &content).await;
        Ok(ChargedValue::new(SentMessage { view, is_new: true }, charge))
    }

    /// Notifies the members whom a message mentions.
    async fn tell_mentioned(
        &self,
        by: &UserName,
        room: &ChatRoom,
        message_id: &str,
        content: &MessageContent,
    ) {
        let Some(receiver) = self.mentions.as_ref().filter(|_| self.settings.features.mentions)
        else {
            return;
        };
        let is_member = |name: &String| room.users.iter().any(|member| member == name);
        for name in content.mentions().iter().filter(|name| is_member(name)) {
            let Ok(user) = UserName::parse(name) else { continue };
            if user == *by {
                continue;
            }
            let (by, room) = (by.clone(), room.name.clone());
            let message_id = message_id.to_owned();
            receiver.mentioned(UserMention { user, by, room, message_id }).await;
        }
    }
}
