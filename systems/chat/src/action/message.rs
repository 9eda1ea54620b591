//! History, one message, read receipts, edits and deletion.

use service::charge::ChargedValue;

use super::ChatMember;
use crate::broadcast::ClientEvent;
use crate::chat::{Chat, ChatCore};
use crate::containers::message_life_seconds;
use crate::domain::{
    ChatMessage, ChatRoom, HistoryCursor, MessageContent, MessageView, RoomName, UnreadReminder,
    UserName,
};
use crate::error::{Error, ErrorKind, Result};
use crate::repository::{DeleteResult, MessageChange};

/// The message that a caller means: an id is unique in its room only.
#[derive(Clone, Debug)]
pub struct MessageAddress {
    /// The id.
    pub id: String,
    /// The room; without it, the rooms of the caller are searched.
    pub room: Option<RoomName>,
}

impl Chat {
    /// The newest messages of a room, before a cursor if one is given, oldest first.
    ///
    /// # Errors
    /// `Forbidden` in a room of others; those of the account.
    pub async fn history(
        &self,
        member: &ChatMember,
        room: &RoomName,
        before: Option<&HistoryCursor>,
        take: u32,
    ) -> Result<ChargedValue<Vec<MessageView>>> {
        let core = &self.core;
        core.enter(member, room).await?;
        let found = match before {
            Some(before) => core.messages.before_by_room(room, before, take).await?,
            None => core.messages.recent_by_room(room, take).await?,
        };
        Ok(ChargedValue::new(core.views(&found.value).await?, found.charge))
    }

    /// One message.
    ///
    /// # Errors
    /// `Forbidden` if it is in a room of others, `NotFound`, `Conflict` if several rooms of the caller have one.
    pub async fn message(
        &self,
        member: &ChatMember,
        address: &MessageAddress,
    ) -> Result<MessageView> {
        let message = self.core.resolve(member, address).await?;
        let views = self.core.views(std::slice::from_ref(&message)).await?;
        views.into_iter().next().ok_or_else(|| Error::internal("a message has a view"))
    }

    /// Marks a message as read by a member, and notifies the room.
    ///
    /// # Errors
    /// `Limited` after too many, `Forbidden`, `NotFound`, `Conflict` as for [`Chat::message`].
    pub async fn mark_read(
        &self,
        member: &ChatMember,
        address: &MessageAddress,
    ) -> Result<ChatMessage> {
        let core = &self.core;
        core.permit_mark_read(&member.name).await?;
        let (room, id) = core.locate(member, address).await?;
        let change = core.change_of(&room, &id, &member.name);
        let marked = core.messages.mark_read(change).await?.value;
        let message = marked.ok_or_else(|| not_found(&id))?;
        core.broadcast(&room.name, ClientEvent::message_read(&id, &message.read_by)).await;
        core.cancel_reminder(&reminder(&room.name, &id)).await;
        Ok(message)
    }

    /// Replaces the text of a message of the caller, and notifies the room.
    ///
    /// # Errors
    /// `NotFound` if `Features:EditMessages` is off; `Invalid`, `Forbidden`, `Conflict`; those of the account.
    pub async fn edit(
        &self,
        member: &ChatMember,
        address: &MessageAddress,
        content: &str,
    ) -> Result<MessageView> {
        let core = &self.core;
        if !core.settings.features.edit_messages {
            return Err(Error::not_found("Features:EditMessages is off"));
        }
        core.permit_message(&member.name).await?;
        let content = MessageContent::parse(content, core.settings.chat.max_message_length)
            .map_err(|why| Error::invalid_field("content", why))?;
        let (room, id) = core.locate(member, address).await?;
        let change = core.change_of(&room, &id, &member.name);
        let edited = core.messages.edit(change, &content).await?.value;
        let view = MessageView::new(&edited.ok_or_else(|| not_found(&id))?, Some(&member.user));
        core.broadcast(&room.name, ClientEvent::message_changed(&view)).await;
        Ok(view)
    }

    /// Deletes a message of the caller, and notifies the room. With `Features:EditMessages` a tombstone is left.
    ///
    /// # Errors
    /// `Forbidden` for a message of somebody else, `NotFound`, `Conflict` as for [`Chat::message`].
    pub async fn delete(&self, member: &ChatMember, address: &MessageAddress) -> Result<()> {
        let core = &self.core;
        let (room, id) = core.locate(member, address).await?;
        if core.settings.features.edit_messages {
            let change = core.change_of(&room, &id, &member.name);
            core.messages.bury(change).await?.value.ok_or_else(|| not_found(&id))?;
        } else {
            match core.messages.delete(&room.name, &id, &member.name).await?.value {
                DeleteResult::Deleted => {}
                DeleteResult::OfSomebodyElse => {
                    return Err(Error::new(
                        ErrorKind::Forbidden,
                        "only its sender may delete a message",
                    ));
                }
                DeleteResult::Missing => return Err(not_found(&id)),
            }
        }
        core.broadcast(&room.name, ClientEvent::message_deleted(&room.name, &id)).await;
        core.cancel_reminder(&reminder(&room.name, &id)).await;
        Ok(())
    }

    /// Notifies the room that a member types, or stopped. Nothing is stored.
    ///
    /// # Errors
    /// `NotFound` if `Features:Typing` is off, `Forbidden` in a room of others, `Limited` after too many.
    pub async fn typing(
        &self,
        member: &ChatMember,
        room: &RoomName,
        is_typing: bool,
    ) -> Result<()> {
        let core = &self.core;
        if !core.settings.features.typing {
            return Err(Error::not_found("Features:Typing is off"));
        }
        core.enter(member, room).await?;
        core.permit_message(&member.name).await?;
        let name = member.name.as_str();
        core.broadcast(room, ClientEvent::typing(name, room, is_typing)).await;
        Ok(())
    }
}

impl ChatCore {
    /// The room and id that an address means; the room is one that the member may enter.
    async fn locate(
        &self,
        member: &ChatMember,
        address: &MessageAddress,
    ) -> Result<(std::sync::Arc<ChatRoom>, String)> {
        let room = match &address.room {
            Some(room) => room.clone(),
            None => self.resolve(member, address).await?.room_name,
        };
        Ok((self.enter(member, &room).await?, address.id.clone()))
    }

    async fn resolve(&self, member: &ChatMember, address: &MessageAddress) -> Result<ChatMessage> {
        let id = &address.id;
        if let Some(room) = &address.room {
            self.enter(member, room).await?;
            return self.messages.get(room, id).await?.value.ok_or_else(|| not_found(id));
        }
        let all = self.messages.find(id).await?.value;
        let is_known = !all.is_empty();
        let mut visible =
            all.into_iter().filter(|message| member.user.may_enter(&message.room_name));
        match (visible.next(), visible.next()) {
            (Some(message), None) => Ok(message),
            (Some(_), Some(_)) => Err(Error::conflict(format!(
                "several of your rooms have a message '{id}'; add ?room= to say which is meant"
            ))),
            (None, _) if is_known => {
                Err(Error::new(ErrorKind::Forbidden, "you are no member of its room"))
            }
            (None, _) => Err(not_found(id)),
        }
    }

    fn change_of<'a>(
        &self,
        room: &'a ChatRoom,
        id: &'a str,
        by: &'a UserName,
    ) -> MessageChange<'a> {
        let life_seconds = message_life_seconds(&self.settings, room.retention_seconds);
        MessageChange { room: &room.name, id, by, life_seconds }
    }

    /// The views of messages, with the names of their senders.
    pub(crate) async fn views(&self, messages: &[ChatMessage]) -> Result<Vec<MessageView>> {
        let mut views = Vec::with_capacity(messages.len());
        for message in messages {
            let sender = match UserName::parse(&message.from_user) {
                Ok(name) => self.directory.user(&name).await?,
                Err(_) => None,
            };
            views.push(MessageView::new(message, sender.as_deref()));
        }
        Ok(views)
    }
}

fn not_found(id: &str) -> Error {
    Error::not_found(format!("there is no message '{id}'"))
}

fn reminder(room: &RoomName, id: &str) -> UnreadReminder {
    UnreadReminder { room: room.clone(), message_id: id.to_owned() }
}
